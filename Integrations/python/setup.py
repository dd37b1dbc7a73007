"""Builds a wheel for one platform and any Python 3 if it contains the command, which pyproject.toml cannot express."""

import pathlib

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

HAS_COMMAND = pathlib.Path(__file__).with_name("src").joinpath("facecrop/archive/bin/facecrop").exists()


class Wheel(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        _, _, platform = super().get_tag()
        return "py3", "none", platform


class WithCommand(Distribution):
    def has_ext_modules(self) -> bool:
        return HAS_COMMAND


setup(
    distclass=WithCommand,
    cmdclass={"bdist_wheel": Wheel},
    entry_points={"console_scripts": ["facecrop = facecrop.command:main"]} if HAS_COMMAND else {},
)
