"""For MkDocs: pages link to files of the checkout beside docs/, such as samples. The site has those files under the same
names, Markdown as pages and the others as they are. A link to a folder is one to its README.md; a folder without one is
only named."""
import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\[([^\]]*)\]\(([\w./-]+)(#[\w-]+)?\)")


def in_checkout(page, target):
    """The path below the checkout that a link of a page leads to."""
    folder = posixpath.dirname(page if page.startswith("samples/") else f"docs/{page}")
    path = posixpath.normpath(posixpath.join(folder, target))
    return f"{path}/README.md" if os.path.isfile(os.path.join(ROOT, path, "README.md")) else path


def linked(page, path):
    with open(path, encoding="utf-8") as file:
        return [in_checkout(page, match[2]) for match in LINK.finditer(file.read())]


def on_files(files, config):
    waiting = [(page.src_uri, page.abs_src_path) for page in files.documentation_pages()]
    added = set()
    while waiting:
        for path in linked(*waiting.pop()):
            if path.startswith("docs/") or path in added or not os.path.isfile(os.path.join(ROOT, path)):
                continue
            added.add(path)
            files.append(File(path, ROOT, config.site_dir, config.use_directory_urls))
            if path.endswith(".md"):
                waiting.append((path, os.path.join(ROOT, path)))
    return files


def on_page_markdown(markdown, page, config, files):
    here = posixpath.dirname(page.file.src_uri) or "."

    def to_site(match):
        path = in_checkout(page.file.src_uri, match[2])
        if os.path.isdir(os.path.join(ROOT, path)):
            return match[1]
        if path.startswith("docs/performance/"):
            return match[1]
        return f"[{match[1]}]({posixpath.relpath(path.removeprefix('docs/'), here)}{match[3] or ''})"

    return LINK.sub(to_site, markdown)
