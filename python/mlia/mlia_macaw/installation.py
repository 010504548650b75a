"""Whether the program is there, which MLIA does not install."""
import shutil

from mlia.backend.install import DownloadAndInstall, Installation
from mlia.core.errors import ConfigurationError

PROGRAM = "macaw"


class MacawInstallation(Installation):
    def __init__(self):
        super().__init__(name="macaw", description="Macaw, a simulator of the Ethos-U NPUs (found on PATH)")

    @property
    def could_be_installed(self):
        return False

    @property
    def already_installed(self):
        return shutil.which(PROGRAM) is not None

    def supports(self, install_type):
        # So that MLIA asks for it, and says what there is to do.
        return isinstance(install_type, DownloadAndInstall)

    def install(self, install_type):
        raise ConfigurationError(f"There is no program '{PROGRAM}' on PATH: MLIA does not install Macaw.")

    def uninstall(self):
        raise ConfigurationError("MLIA does not remove Macaw, which it has not installed.")
