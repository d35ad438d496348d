#!/usr/bin/python3
"""The documentation is complete and its links lead somewhere; where that is not so, it says so."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
LIB = HERE.parent
HEADER = "include/backoff/hosted/policy.hpp"


def comments(name: str, text: str) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch, name)
        file.write_text(text)
        return subprocess.run([HERE / "comments", file], capture_output=True, text=True, check=True).stdout


class Docs(unittest.TestCase):
    def built(self, change: Callable[[str], str] = lambda text: text) -> tuple[int, str, str]:
        """Exit status and output, of the library with one header changed."""
        with tempfile.TemporaryDirectory() as scratch:
            lib = pathlib.Path(scratch, "lib")
            for folder in ("include", "drop_in"):
                shutil.copytree(LIB / folder, lib / folder)
            header = lib / HEADER
            text = header.read_text()
            header.write_text(change(text))
            done = subprocess.run([HERE / "docs", "--into", pathlib.Path(scratch, "out"), "--lib", lib], capture_output=True,
                                  text=True, check=False)
            html = "".join(page.read_text() for page in pathlib.Path(scratch, "out/html").glob("policy_8hpp.html"))
            return done.returncode, done.stdout, html

    def test_everything_public_is_documented_and_every_requirement_links_to_its_page(self) -> None:
        code, said, html = self.built()
        self.assertEqual((code, said.count("\n")), (0, 1), said)
        self.assertIn('href="requirements_azure_java_retry_policy.html#AZ_JR_010">AZ-JR-010</a>', html)

    def test_a_name_without_documentation_is_a_failure(self) -> None:
        code, said, _ = self.built(lambda text: re.sub(r"(?://.*\n)+struct next_step", "struct next_step", text))
        self.assertEqual(code, 1)
        self.assertRegex(said, r"policy.hpp:\d+: error: Compound backoff::next_step is not documented")

    def test_a_requirement_that_does_not_exist_is_a_failure(self) -> None:
        code, said, _ = self.built(lambda text: text.replace("AZ-JR-010", "AZ-JR-999", 1))
        self.assertEqual(code, 1)
        self.assertIn("'AZ_JR_999'", said)


class Headers(unittest.TestCase):
    def test_readme_names_every_header_for_users_and_what_it_declares(self) -> None:
        section = (LIB / "README.md").read_text().partition("\n## Headers\n")[2].partition("\n## ")[0]
        rows = dict(re.findall(r"^\| `(backoff/\S+)` \| (.*) \|$", section, re.MULTILINE))
        headers = {path.relative_to(LIB / "include").as_posix() for path in (LIB / "include/backoff").rglob("*.hpp")}
        self.assertEqual(set(rows), {header for header in headers if "/kernels/" not in header})
        texts = {header: (LIB / "include" / header).read_text() for header in headers}
        long = dict(re.findall(r"^namespace (\w+) = (\w+);", "\n".join(texts.values()), re.MULTILINE))
        for header, declared in rows.items():
            for name in re.findall(r"`((?!std::)\w+(?:::\w+)*)`", declared):
                with self.subTest(header, name=name):
                    *short, last = name.removesuffix("::STEM").split("::")
                    declaration = rf"^(?:(?:class|struct|enum class|concept) {last}\b|namespace .*\b{last}\b|[^ /\n].*\b{last}\()"
                    self.assertRegex(texts[header], re.compile(declaration, re.MULTILINE))
                    for alias in short:
                        self.assertIn(f"\nnamespace backoff::{long[alias]} {{", texts[header])


class Comments(unittest.TestCase):
    def test_of_declarations_are_marked_and_others_are_not(self) -> None:
        self.assertEqual(comments("a.hpp", """// Of the file.
#pragma once
namespace a {
// Of the type.
template <class T>
struct s {
  T x;  // of the member
  // Of the function.
  T f() const {
    // not for readers of the documentation
    return x;  // nor this
  }
};
// Of the concept.
template <class T>
concept c = requires(T x) {
  x.f();  // nor this
};
}  // namespace a
"""), """/// Of the file.
/// @file
namespace a {
/// Of the type.
template <class T>
struct s {
  T x;  ///< of the member
  /// Of the function.
  T f() const {
    // not for readers of the documentation
    return x;  // nor this
  }
};
/// Of the concept.
template <class T>
concept c = requires(T x) {
  x.f();  // nor this
};
}  // namespace a
""")

    def test_markup_is_escaped(self) -> None:
        self.assertEqual(comments("a.hpp", "// a < b & c<W> #d @e 5 %f \\g\n"), "/// a \\< b \\& c\\<W\\> \\#d \\@e 5 \\%f \\\\g\n")

    def test_requirements_become_links(self) -> None:
        self.assertEqual(comments("a.hpp", "// AWS-BA-003 to AWS-BA-I01, 09_021.\n"),
                         '/// \\ref AWS_BA_003 "AWS-BA-003" to \\ref AWS_BA_I01 "AWS-BA-I01", '
                         '\\ref SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_021 "09_021".\n')

    def test_of_c_are_marked_by_where_they_stand(self) -> None:
        self.assertEqual(comments("a.h", "/* Of the file. */\n/* Of the number. */\nint x; /* after it */\n"),
                         "/** Of the file. @file */\n/** Of the number. */\nint x; /**< after it */\n\n")


if __name__ == "__main__":
    unittest.main()
