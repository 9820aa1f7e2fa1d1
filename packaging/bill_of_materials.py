"""The SPDX bill of materials: what is inside the packages, with licences."""

import datetime
import json
import os
import re
import subprocess

from package_stage import BUILD, ROOT, libraries_of, version

# Compiled into the program from headers or static libraries.
COMPILED_IN = ["nlohmann-json3-dev", "libcli11-dev", "libboost1.74-dev",
               "pybind11-dev", "libgcc-12-dev"]
# Debian's names of licences, and those of SPDX.
SPDX_NAMES = {
    "Apache-2.0": "Apache-2.0", "BSL-1.0": "BSL-1.0", "Expat": "MIT",
    "MIT": "MIT", "curl": "curl", "Zlib": "Zlib", "BSD-3-clause": "BSD-3-Clause",
    "BSD-3-Clause": "BSD-3-Clause", "BSD-4-clause": "BSD-4-Clause",
    "GPL-2": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later",
    "GPL-3+": "GPL-3.0-or-later", "LGPL-2.1+": "LGPL-2.1-or-later",
    "LGPL-3+": "LGPL-3.0-or-later", "OpenLDAP-2.8": "OLDAP-2.8",
}
# Of the page; package.json of each states its licence.
PAGE = ["preact", "@preact/signals", "@preact/signals-core", "uplot"]


def write_bill_of_materials(path):
    packages = [_entry("lamarck", version(), "Apache-2.0")]
    for name in sorted(_debian_packages() | set(COMPILED_IN)):
        found = _debian_entry(name)
        if found:
            packages.append(found)
    packages += [entry for name in PAGE if (entry := _page_entry(name))]
    time = int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or None
    made = (datetime.datetime.fromtimestamp(time, datetime.timezone.utc) if time
            else datetime.datetime.now(datetime.timezone.utc))
    bill = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": f"lamarck-{version()}",
        "documentNamespace": f"urn:lamarck:{version()}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: packaging/bill_of_materials.py"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT",
             "relationshipType": "DESCRIBES",
             "relatedSpdxElement": packages[0]["SPDXID"]}] + [
            {"spdxElementId": packages[0]["SPDXID"],
             "relationshipType": "CONTAINS",
             "relatedSpdxElement": each["SPDXID"]} for each in packages[1:]],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(bill, file, indent=2)
    return path


def _entry(name, found_version, licence):
    return {"name": name, "versionInfo": found_version,
            "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
            "copyrightText": "NOASSERTION"}


def _debian_packages():
    """The packages of the libraries that are bundled."""
    names = set()
    for path in libraries_of(os.path.join(BUILD, "bin", "lamarck")).values():
        # dpkg knows some files only by their old place.
        for place in (path, path.removeprefix("/usr")):
            done = subprocess.run(["dpkg-query", "-S", place], text=True,
                                  capture_output=True)
            if done.returncode == 0:
                names.add(done.stdout.split(":")[0])
                break
    return names


def _debian_entry(name):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name],
                          text=True, capture_output=True)
    if done.returncode != 0 or not done.stdout:
        return None
    return _entry(name, done.stdout, _debian_licence(name))


def _debian_licence(name):
    """The licence of most files of a package, by its copyright file."""
    path = f"/usr/share/doc/{name}/copyright"
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return "NOASSERTION"
    # The first paragraph of files is the one of most files.
    found = re.search(r"^Files: \*\n(?:.*\n)*?License: *(\S.*)$", text,
                      re.MULTILINE)
    if not found:
        return "NOASSERTION"
    parts = re.split(r" (and|or) ", found[1].strip())
    names = [SPDX_NAMES.get(part) for part in parts[::2]]
    if None in names:
        return "NOASSERTION"
    words = [each for pair in zip(names, parts[1::2] + [""]) for each in pair]
    return " ".join(words).strip().replace(" and ", " AND ").replace(
        " or ", " OR ")


def _page_entry(name):
    path = os.path.join(ROOT, "build", "packages", name, "package.json")
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except OSError:
        return None
    return _entry(name, manifest["version"], manifest.get("license",
                                                          "NOASSERTION"))
