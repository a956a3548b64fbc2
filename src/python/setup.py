"""Builds the package with CMake: the engine, its C interface and the module, with machines and scenarios beside it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parents[2]
BUILD = SOURCE / "build/pip"


class CMakeBuild(build_ext):
    def build_extension(self, ext: Extension) -> None:
        if not (SOURCE / "CMakeLists.txt").is_file():
            sys.exit(f"{SOURCE} is not Knuckleboom's source tree; pip install ./src/python, in a clone of it")
        build = BUILD / "cmake"
        module = Path(self.get_ext_fullpath(ext.name)).resolve()
        package = module.parent
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "KNUCKLEBOOM_PROGRAM": "OFF",
            "KNUCKLEBOOM_PYTHON": "ON",
            # Found relative to the module: <package>/share/knuckleboom/config.
            "CMAKE_INSTALL_PREFIX": "/nowhere/knuckleboom",
            "KNUCKLEBOOM_PYTHON_DIR": "..",
            "Python_EXECUTABLE": sys.executable,
        }
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        for command in (
            ["cmake", "-S", str(SOURCE), "-B", str(build), *generator, *(f"-D{k}={v}" for k, v in options.items())],
            ["cmake", "--build", str(build), "--parallel", jobs, "--target", "knuckleboom_python"],
        ):
            subprocess.run(command, check=True)
        package.mkdir(parents=True, exist_ok=True)
        (built,) = (build / "python/knuckleboom").glob("_engine*.so")
        shutil.copy2(built, module)
        reader = build / "python/knuckleboom/knuckleboom-session-reader"
        if reader.exists():
            shutil.copy2(reader, package / reader.name)
        shutil.copytree(SOURCE / "config", package / "share/knuckleboom/config", dirs_exist_ok=True)


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


def version() -> str:
    for line in (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[:1] == ["VERSION"]:
            return words[1]
    sys.exit("CMakeLists.txt names no version")


BUILD.mkdir(parents=True, exist_ok=True)
setup(
    options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}},
    version=version(),
    ext_modules=[Extension("knuckleboom._engine", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    distclass=BinaryDistribution,
)
