"""Conan 2 recipe: conan create packaging/conan -s compiler.cppstd=20"""

import re
import shutil
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = Path(__file__).resolve().parents[2]


class PosencConan(ConanFile):
    name = "posenc"
    description = "Positional encodings for Transformers"
    license = "Apache-2.0"
    topics = ("positional-encoding", "rope", "alibi", "transformer", "attention")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "openmp": [True, False], "fetch_highway": [True, False],
               "model": [True, False]}  # fmt: skip
    default_options = {"shared": False, "fPIC": True, "openmp": False, "fetch_highway": False, "model": True}

    def set_version(self):
        header = (ROOT / "include/posenc/posenc.h").read_text()
        self.version = re.search(r'POSENC_VERSION "(.*)"', header)[1]

    def export_sources(self):
        to = Path(self.export_sources_folder)
        for folder in ("cmake", "docs", "include", "src", "tests/cuda/emulator"):
            copy(self, "*", ROOT / folder, to / folder)
        (to / "packaging").mkdir()
        for file in ("CMakeLists.txt", "LICENSE", "README.md", "README.zh.md", "CHANGELOG.md", "packaging/posenc_rope.h"):
            shutil.copy2(ROOT / file, to / file)  # Conan's copy() would look through the whole of build/ for it

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        if not self.options.fetch_highway:
            self.requires("highway/[>=1.0.3 <2]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name, value in {"CLI": False, "TESTS": False, "INSTALL": True, "EIGEN": "OFF", "MODEL": bool(self.options.model),
                            "OPENMP": bool(self.options.openmp), "FETCH": bool(self.options.fetch_highway)}.items():  # fmt: skip
            toolchain.cache_variables[f"POSENC_{name}"] = value
        toolchain.generate()
        dependencies = CMakeDeps(self)
        dependencies.set_property("highway", "cmake_file_name", "hwy")
        dependencies.set_property("highway::hwy", "cmake_target_name", "hwy::hwy")
        dependencies.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        core = self.cpp_info.components["posenc"]
        core.libs = ["posenc"]
        core.set_property("cmake_target_name", "posenc::posenc")
        core.set_property("pkg_config_name", "posenc")
        if not self.options.fetch_highway:
            core.requires = ["highway::highway"]
        if self.settings.os == "Linux" and not self.options.shared:
            core.system_libs = ["m", "pthread"]
        if self.options.model:
            model = self.cpp_info.components["model"]
            model.libs = [] if self.options.shared else ["posenc_model"]
            model.requires = ["posenc"]
            model.set_property("cmake_target_name", "posenc::model")
            model.set_property("pkg_config_name", "posenc-model")
