"""Plugins that MLIA loads by entry points."""
from mlia.backend.config import BackendConfiguration, BackendType
from mlia.backend.corstone import CORSTONE_PRIORITY
from mlia.backend.registry import ensure_backend_plugins_loaded
from mlia.core.common import AdviceCategory
from mlia.plugins.plugins import BackendPlugin, TargetPlugin
from mlia.target.ethos_u import performance as ethos_u_performance
from mlia.target.ethos_u import plugin as ethos_u

from mlia_macaw.installation import MacawInstallation
from mlia_macaw.performance import estimate_performance

NAME, PRETTY_NAME = "macaw", "Macaw"


class MacawBackendPlugin(BackendPlugin):
    plugin_interface_version = "0.0.1"

    @staticmethod
    def register(registry):
        registry.register(
            NAME,
            BackendConfiguration(supported_advice=[AdviceCategory.PERFORMANCE], supported_systems=None,
                                 backend_type=BackendType.CUSTOM, installation=MacawInstallation()),
            pretty_name=PRETTY_NAME,
        )


def choose_by_backend(of_corstone):
    def estimate(target, mac, model, backend, output_dir):
        if backend == NAME:
            return estimate_performance(target, mac, model, output_dir)
        return of_corstone(target, mac, model, backend, output_dir)

    return estimate


class MacawTargetPlugin(TargetPlugin):
    """Ethos-U's targets know two back ends by name, Vela and Corstone. To them Macaw is a Corstone whose one function
    that measures is another."""

    plugin_interface_version = "0.0.1"

    @staticmethod
    def register(registry):  # pylint: disable=unused-argument
        ensure_backend_plugins_loaded()  # the Corstones register what is in their list
        if PRETTY_NAME in CORSTONE_PRIORITY:
            return  # MLIA loads its plug-ins more than once
        CORSTONE_PRIORITY[PRETTY_NAME] = None
        for backends in (ethos_u.SUPPORTED_BACKENDS_PRIORITY_ETHOS_U55, ethos_u.SUPPORTED_BACKENDS_PRIORITY_ETHOS_U65,
                         ethos_u.SUPPORTED_BACKENDS_PRIORITY_ETHOS_U85):
            backends.append(NAME)
        ethos_u_performance.estimate_performance = choose_by_backend(ethos_u_performance.estimate_performance)
