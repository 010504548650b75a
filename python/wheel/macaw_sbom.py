"""The software bill of materials of a wheel: SPDX 2.3 as JSON (https://spdx.github.io/spdx-spec/v2.3/)."""
import datetime
import hashlib
import json

# Terms of what a wheel may have in it, by Debian's name of the source package.
LICENSES = {
    "cli11": "BSD-3-Clause", "eigen3": "MPL-2.0", "tl-expected": "CC0-1.0", "flatbuffers": "Apache-2.0", "fmtlib": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "gcc-12-cross": "GPL-3.0-or-later WITH GCC-exception-3.1", "highway": "Apache-2.0", "inih": "BSD-3-Clause", "libinih": "BSD-3-Clause",
    "libjpeg-turbo": "IJG AND BSD-3-Clause AND Zlib", "libpng1.6": "libpng-2.0", "libzip": "BSD-3-Clause", "nlohmann-json3": "MIT",
    "pugixml": "MIT", "sqlite3": "blessing", "systemc": "Apache-2.0", "tomlplusplus": "MIT", "xxhash": "BSD-2-Clause",
    "yaml-cpp": "MIT", "zlib": "Zlib",
}


def _package(name, version, license_id, **more):
    return {"SPDXID": f"SPDXRef-{name.replace('+', 'p')}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": license_id, "licenseDeclared": license_id, "copyrightText": "NOASSERTION", **more}


def bill_of_materials(version, components, timestamp):
    """The document as text. `components` are (source package of Debian, version) of what is linked into the wheel's files or
    comes along; `timestamp` is in seconds since 1970."""
    packages = [_package("macaw", version, "Apache-2.0")]
    for name, its_version in sorted(set(components)):
        locator = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                   "referenceLocator": f"pkg:deb/debian/{name}@{its_version.replace('+', '%2B').replace(':', '%3A')}?arch=source"}
        packages.append(_package(name, its_version, LICENSES.get(name, "NOASSERTION"), externalRefs=[locator]))
    relationships = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-macaw"}]
    relationships += [{"spdxElementId": "SPDXRef-macaw", "relationshipType": "CONTAINS", "relatedSpdxElement": package["SPDXID"]}
                      for package in packages[1:]]
    content = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(timestamp, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"macaw-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/macaw-{version}-{content}",
        "creationInfo": {"created": created, "creators": ["Tool: macaw_build"]},
        "packages": packages, "relationships": relationships}, indent=1) + "\n"
