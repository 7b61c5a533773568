#!/usr/bin/env python3
"""The Debian packages: deb.py BUILD

Builds them, unpacks them into a temporary root and runs the program from there.  What they contain must be what
`make install` installs, and what they depend on what the programs are linked with.
"""
import functools
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, = map(os.path.abspath, sys.argv[1:2])


def output_of(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def files_below(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


@functools.cache
def package_of(library):
    """The Debian package of a shared library that a program is linked with; /lib is /usr/lib on newer systems."""
    path = os.path.realpath(library)
    for name in (path, re.sub("^/usr", "", path), library, "/usr" + library):
        done = subprocess.run(["dpkg", "-S", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise AssertionError(f"no package has '{library}'")


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        at = cls.folder.name
        cls.root, cls.home, plain = (os.path.join(at, name) for name in ("root", "home", "plain"))
        os.mkdir(cls.home)
        output_of("cpack", "--config", "CPackConfig.cmake", "-B", at + "/deb", cwd=BUILD)
        cls.debs = {os.path.basename(path).split("_")[0]: path for path in glob.glob(at + "/deb/*.deb")}
        for path in cls.debs.values():
            output_of("dpkg-deb", "-x", path, cls.root)
        cls.installed = {}
        for component in ("program", "library"):
            prefix = os.path.join(plain, component)
            output_of("cmake", "-DCMAKE_INSTALL_PREFIX=" + prefix, "-DCMAKE_INSTALL_COMPONENT=" + component, "-P",
                      os.path.join(BUILD, "cmake_install.cmake"))
            cls.installed[component] = {"usr/" + name for name in files_below(prefix)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assay(self, *words, status=0):
        environment = {"HOME": self.home, "PATH": os.environ["PATH"], "ASSAY_PATIENCE": "20"}
        done = subprocess.run([self.root + "/usr/bin/assay", *words], cwd=self.home, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def test_contents(self):
        self.assertEqual(sorted(self.debs), ["assay", "libassay-dev"])
        self.assertEqual(files_below(self.root), self.installed["program"] | self.installed["library"])
        listed = output_of("dpkg-deb", "-c", self.debs["libassay-dev"])
        files = {line.split()[5].removeprefix("./") for line in listed.splitlines() if line.startswith("-")}
        self.assertEqual(files, self.installed["library"])
        for name in ("usr/bin/assay", "usr/share/man/man1/assay-check.1", "usr/share/assay/libraries/ort.lock",
                     "usr/libexec/assay/workers/worker-supervisor", "usr/share/bash-completion/completions/assay"):
            self.assertIn(name, self.installed["program"])

    def test_dependencies(self):
        depends = output_of("dpkg-deb", "-f", self.debs["assay"], "Depends")
        declared = {word.split()[0] for word in depends.split(", ")}
        for program in [self.root + "/usr/bin/assay", *glob.glob(self.root + "/usr/libexec/assay/workers/*")]:
            needed = set(re.findall(r"NEEDED +(\S+)", output_of("objdump", "-p", program)))
            paths = dict(re.findall(r"(\S+) => (/\S+)", output_of("ldd", program)))
            self.assertEqual({package_of(paths[name]) for name in needed if name in paths} - declared, set(), program)
        self.assertNotIn("lib", output_of("dpkg-deb", "-f", self.debs["assay"], "Recommends"))

    def test_runs(self):
        self.assertEqual(self.assay("--version"), f"assay {output_of('dpkg-deb', '-f', self.debs['assay'], 'Version')}")
        self.assay("check", "lenet5", "-b", "reference,fault:kernel_mirrored", "--no-store", status=1)
        self.assertIn("installed: nothing", self.assay("backends", "list"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
