"""MLIA with Macaw as a back end: the plug-in of python/mlia, and Macaw under the names of Arm's platforms where MLIA
expects Corstone-300. MACAW_MLIA and MACAW_MLIA_ETHOS_U are checkouts of arm/mlia (tested: a360331) and arm/mlia-ethos-u
(464757c), whose packages run as they are; python3-typer and python3-rich are theirs. Vela, which compiles models for MLIA,
is not: a stand-in hands on networks that are compiled already. Skipped with a line where anything is not there."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MACAW = pathlib.Path(os.environ["MACAW"]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[3]
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")).resolve()
CHECKOUTS = [os.environ.get(name) for name in ("MACAW_MLIA", "MACAW_MLIA_ETHOS_U")]
NONE = "none"  # a folder without a plug-in
DISTRIBUTIONS = (  # name, requirement, entry points: what pip would write of the checkouts
    ("mlia", "", "[console_scripts]\nmlia = mlia.cli.main:main\n"),
    ("mlia-ethos-u", "Requires-Dist: mlia>=0.11.0.dev17\n",
     "[mlia.plugin.target]\nethos_u = mlia.target.ethos_u.plugin:EthosUTargetPlugin\n[mlia.plugin.backend]\n"
     "corstone = mlia.backend.corstone.plugin:CorstoneBackendPlugin\nvela = mlia.backend.vela.plugin:VelaBackendPlugin\n"),
    ("ethos-u-vela", "", ""))  # the stand-in
PROGRAM = """import sys
import mlia.backend.vela.compiler as stand_in_for_vela
stand_in_for_vela.compile_model = lambda model, options: model
from mlia.cli import main
sys.argv[0] = "mlia"
sys.exit(getattr(main, sys.argv.pop(1))())
"""
# Their fixtures come from TensorFlow but for this one.
CONFTEST = """import pytest
from mlia.core.context import ExecutionContext

@pytest.fixture(name="sample_context")
def sample_context(tmpdir):
    return ExecutionContext(output_dir=tmpdir)
"""
# The least that adds a back end to Ethos-U's targets, by MLIA's rules for plug-ins (openspec/specs/plugin-architecture).
OTHER = """from mlia.backend.config import BackendConfiguration, BackendType
from mlia.core.common import AdviceCategory
from mlia.target.ethos_u import plugin as ethos_u

class Backend:
    plugin_interface_version = "0.0.1"

    def register(registry):
        registry.register("other", BackendConfiguration([AdviceCategory.PERFORMANCE], None, BackendType.BUILTIN, None))

class Target:
    plugin_interface_version = "0.0.1"

    def register(registry):
        for npu in ("U55", "U65", "U85"):
            backends = getattr(ethos_u, "SUPPORTED_BACKENDS_PRIORITY_ETHOS_" + npu)
            backends += [] if "other" in backends else ["other"]
"""
OTHER_DISTRIBUTION = ("other", "Requires-Dist: mlia>=0.11.0.dev17\n",
                      "[mlia.plugin.backend]\nother = other:Backend\n[mlia.plugin.target]\nother = other:Target\n")
LISTS = """import json
from mlia.backend.registry import get_supported_backends
from mlia.target.registry import all_supported_backends, supported_backends
of_targets = [all_supported_backends(), *(supported_backends(f"ethos-u{npu}") for npu in (55, 65, 85))]
print(json.dumps([sorted(backends) for backends in (get_supported_backends(), *of_targets)]))
"""
OWN_TESTS = ("backend_corstone", "backend_corstone_install", "backend_corstone_performance", "backend_install_ethos",
             "backend_registry", "target_config", "target_registry", "target_ethos_u_config", "target_ethos_u_handlers",
             "target_ethos_u_performance", "target_ethos_u_common_reporters", "cli_options")
METRICS = {"npu_active_cycles": "NPU_ACTIVE", "npu_axi0_rd_data_beat_received": "AXI0_RD_DATA_BEAT_RECEIVED",
           "npu_axi0_wr_data_beat_written": "AXI0_WR_DATA_BEAT_WRITTEN", "npu_axi1_rd_data_beat_received": "AXI1_RD_DATA_BEAT_RECEIVED"}
METRICS_U85 = {"npu_active_cycles": "NPU_ACTIVE", "npu_axi0_rd_data_beat_received": "SRAM_RD_DATA_BEAT_RECEIVED",
               "npu_axi0_wr_data_beat_written": "SRAM_WR_DATA_BEAT_WRITTEN", "npu_axi1_rd_data_beat_received": "EXT_RD_DATA_BEAT_RECEIVED",
               "npu_axi1_wr_data_beat_written": "EXT_WR_DATA_BEAT_WRITTEN"}


def missing():
    if not all(CHECKOUTS):
        return "MLIA (set MACAW_MLIA and MACAW_MLIA_ETHOS_U)"
    for module in ("typer", "rich", "requests"):
        if not importlib.util.find_spec(module):
            return f"MLIA's python3-{module}"
    return "" if CORPUS.is_dir() else f"{CORPUS} (set MACAW_CORPUS)"


class Mlia(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.site, cls.other = cls.folder / "site", cls.folder / "other"
        for checkout in CHECKOUTS:
            shutil.copytree(pathlib.Path(checkout) / "src/mlia", cls.site / "mlia", dirs_exist_ok=True)
        for folder, (name, requirement, entry_points) in ((cls.other, OTHER_DISTRIBUTION), *((cls.site, row) for row in DISTRIBUTIONS)):
            information = folder / f"{name.replace('-', '_')}-0.11.0.dist-info"
            information.mkdir(parents=True)
            (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.11.0\n{requirement}")
            (information / "entry_points.txt").write_text(entry_points)
        (cls.folder / "program.py").write_text(PROGRAM)
        (cls.other / "other.py").write_text(OTHER)
        shutil.copytree(ROOT / "python/mlia", cls.folder / "sources")
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
                        "--root-user-action=ignore", "--target", cls.folder / "macaw", cls.folder / "sources"], check=True)

    def python(self, *call, plugin="macaw", path=f"{MACAW.parent}:/usr/bin:/bin", **options):
        environment = {**os.environ, "PATH": path, "HOME": str(self.folder), "PYTHONPATH": f"{self.folder / plugin}:{self.site}"}
        return subprocess.run([sys.executable, *map(str, call)], capture_output=True, text=True, timeout=300, env=environment,
                              cwd=self.folder, **options)

    def check(self, network, target, backend, **options):
        """JSON output of `mlia check`."""
        done = self.python("program.py", "main", "check", network, "-t", target, "-b", backend, "--performance", "--json",
                           "--output-dir", self.folder / target, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout[done.stdout.index("{"):])

    def equal(self, output, network, *options, names=METRICS):
        """Whether the standardised metrics are those of `macaw sim`."""
        call = [MACAW, "sim", network, "--mode", "timing", "--json", *options]
        pmu = json.loads(subprocess.run(call, check=True, capture_output=True).stdout)["pmu"]
        metrics = {metric["name"]: metric["value"] for metric in output["results"][0]["metrics"]}
        self.assertEqual({name: metrics[name] for name in names}, {name: pmu[f"ETHOSU_PMU_{event}"] for name, event in names.items()})
        return metrics

    def test_networks_of_every_family(self):
        for target, compiled in (("ethos-u55-128", "Ethos_U55_High_End_Embedded-Shared_Sram"),
                                 ("ethos-u65-256", "Ethos_U65_High_End-Dedicated_Sram"),
                                 ("ethos-u85-256", "Ethos_U85_SYS_DRAM_Mid-Dedicated_Sram")):
            with self.subTest(target):
                network = CORPUS / f"npu/kws_ref_model/{target}-{compiled}-tflite/kws_ref_model_vela.tflite"
                output = self.check(network, target, "macaw")
                metrics = self.equal(output, network, names=METRICS_U85 if "u85" in target else METRICS)
                self.assertEqual(metrics["npu_total_cycles"], metrics["npu_active_cycles"])
                backend, = output["backends"]
                self.assertEqual((backend["id"], backend["name"]), ("macaw", "Macaw"))
                self.assertRegex(backend["version"], r"^\d+\.\d+\.\d+$")
                self.assertTrue((self.folder / target / "mlia-output/macaw_report.json").is_file())

    def test_a_program_of_executorch_needs_no_compiler(self):
        program = CORPUS / "thirdparty/executorch_pte/ethos_u_minimal_example.pte"
        self.equal(self.check(program, "ethos-u55-128", "macaw"), program)

    def test_without_the_program_or_for_another_npu_mlia_says_so(self):
        network = CORPUS / "thirdparty/executorch_pte/ethos_u_minimal_example.pte"
        call = ("program.py", "main", "check", network, "-b", "macaw", "--performance", "--noninteractive", "-t")
        for words, arguments, path in (("on PATH", "ethos-u55-128", "/usr/bin:/bin"),
                                       ("ethos-u55-128", "ethos-u55-256", f"{MACAW.parent}:/usr/bin:/bin")):
            done = self.python(*call, arguments, path=path)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stdout + done.stderr)

    def test_corstone_300_is_macaw_by_arms_names(self):
        runners = list((CORPUS / "device").glob("inference_runner*U65*.axf"))
        if not runners or not shutil.which("qemu-system-arm"):
            self.skipTest("no inference runner in the corpus, or no qemu-system-arm")
        models = self.folder / "models/Linux64_GCC-9.3"
        models.mkdir(parents=True)
        for npu in ("U55", "U65"):
            name = f"FVP_Corstone_SSE-300_Ethos-{npu}"
            (models / name).write_text(f'#!/bin/sh\nexec "{MACAW.parent / name}" "$@"\n')
            (models / name).chmod(0o755)
        application = self.site / "mlia/resources/backends/applications" / runners[0].stem / "mlek_inference_runner.axf"
        application.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(runners[0], application)
        done = self.python("program.py", "backend_main", "install", "corstone-300", "--path", self.folder, "--noninteractive",
                           "--i-agree-to-the-contained-eula", plugin=NONE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        network = CORPUS / "device/networks/kws_micronet_m_u65_256_vela.tflite"
        metrics = self.check(network, "ethos-u65-256", "corstone-300", plugin=NONE)["results"][0]["metrics"]
        counted = {metric["name"]: metric["value"] for metric in metrics}
        simulated = subprocess.run([MACAW, "sim", network, "--mode", "timing", "--json"], check=True, capture_output=True)
        pmu = json.loads(simulated.stdout)["pmu"]
        self.assertEqual(counted["npu_axi1_rd_data_beat_received"], pmu["ETHOSU_PMU_AXI1_RD_DATA_BEAT_RECEIVED"])
        self.assertLess(abs(counted["npu_active_cycles"] / pmu["ETHOSU_PMU_NPU_ACTIVE"] - 1), 0.01)

    def test_their_own_tests(self):
        if not importlib.util.find_spec("pytest"):
            self.skipTest("no pytest")
        shutil.copytree(pathlib.Path(CHECKOUTS[1]) / "tests", self.folder / "tests")
        (self.folder / "tests/conftest.py").write_text(CONFTEST)
        failed = {}
        for plugin in (NONE, "macaw", "other"):
            done = self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=",
                               *(f"tests/test_{name}.py" for name in OWN_TESTS), plugin=plugin)
            self.assertIn(" passed", done.stdout, done.stdout + done.stderr)
            failed[plugin] = set(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M))
            print(f"MLIA's own tests, plug-in {plugin}: {done.stdout.splitlines()[-1]}")
        # Some assert that no back end was added; Macaw fails only tests that another back end fails too.
        self.assertEqual(failed["macaw"] - failed[NONE], failed["other"] - failed[NONE])
        self.assertEqual([name for name in sorted(failed["other"] - failed[NONE]) if "supported_backends" not in name], [])

    def test_macaw_is_one_more_in_each_list_of_back_ends(self):
        without, plugged = (json.loads(self.python("-c", LISTS, plugin=plugin, check=True).stdout) for plugin in (NONE, "macaw"))
        self.assertEqual(plugged, [sorted([*backends, "macaw"]) for backends in without])


if __name__ == "__main__":
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
