"""Device types and rack types of the NetBox community library (YAML, CC0).

A file says only between the lines what a thing is: its kind, the watts of its supplies, the cards in it. What is read
out of words or added up is an estimate and says by which rule. All scalars stay text: part numbers keep their zeros.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from catalog.importers.card_names import card
from catalog.importers.doubts import machine
from catalog.importers.files import slugify
from catalog.importers.harvest import Doubt, Harvest
from catalog.importers.sheet import Unreadable, text_of
from catalog.importers.table import LENGTHS, BadCell, Row
from catalog.records import ItemRecord, Provenance, filled

MAX_YAML_BYTES, MAX_DEPTH, MAX_NODES = 2_000_000, 12, 100_000
ADDRESS = "https://github.com/netbox-community/devicetype-library"
KINDS = ("server", "switch", "mgmt", "rack", "pdu", "ups", "rdhx", "cdu", "generator", "other")
KG = {"kg": 1.0, "g": 0.001, "lb": 0.45359237, "oz": 0.028349523125}  # international avoirdupois
MM = {"mm": 1.0, "in": 25.4}
INFINIBAND = {"sdr": 10, "ddr": 20, "qdr": 40, "fdr10": 40, "fdr": 56, "edr": 100, "hdr": 200, "ndr": 400, "xdr": 800}
SPEED = re.compile(r"(\d+(?:\.\d+)?)(g?)base", re.ASCII)
NOT_A_PORT = re.compile(r"virtual|lag|bridge|ieee802\.11|gsm|cdma|lte|4g|5g|other")
MANAGEMENT = re.compile(r"\b(?:mgmt|management|bmc|i?drac|ilo|ipmi|xcc|oob)|^fnm", re.IGNORECASE)
# Of APC (Smart-UPS, Symmetra, Galaxy) and Eaton: their models are named by the series alone.
UPS_SERIES = (
    r"\b(?:SMT|SMX|SMC|SMTL|SRT|SRTL|SURT|SURTA?D?|SUA|SYA|SRV)\d{3,5}|symmetra|\bgalaxy\b|\b(?:5|9)(?:PX|SX|P|E)\d{3}"
)
WORDS = (  # kind ← words of model, part number, slug and comments, the first that fits
    ("ups", re.compile(rf"\bups\b|uninterruptible|smart-?ups|back-?ups|\bups[-_ ]|{UPS_SERIES}", re.IGNORECASE)),
    ("cdu", re.compile(r"coolant distribution|\bcdu\b|[-_]s?cdu[-_]", re.IGNORECASE)),
    ("rdhx", re.compile(r"rear[- ]door (?:heat|cool)|\brdhx\b", re.IGNORECASE)),
    ("generator", re.compile(r"\bgen(?:erator|set)\b", re.IGNORECASE)),
    ("pdu", re.compile(r"\bpdus?\b|power distribution|power shelf|transfer switch|\bats\b", re.IGNORECASE)),
)
SERVER = re.compile(r"\bserver|\bdgx\b|\bhgx\b|poweredge|proliant|thinksystem|\bgpus?\b|\bcompute node", re.IGNORECASE)
SWITCH = re.compile(r"\bswitch|infiniband|ethernet fabric", re.IGNORECASE)
CARD_NAME = r"V100|A100|A800|H100|H200|H800|H20|B200|B300|GB200|GB300|L40S|L40|L4|A40|A30|A10|MI\d{3}[AX]?|Gaudi ?[23]"
COUNT_OF_CARDS = re.compile(
    rf"\b(\d{{1,2}})\s*[x×]?\s*(?:NVIDIA\s+|AMD\s+|Intel\s+|Instinct\s+|Tesla\s+|HGX\s+)*({CARD_NAME})\b", re.IGNORECASE
)
KILOWATTS = re.compile(r"(\d{1,6}(?:\.\d+)?)\s*(kW|kVA|VA)\b", re.ASCII)
VOLTS = re.compile(r"\b(\d{3})(?:\s*/\s*\d{3})?\s*V(?:AC)?\b", re.ASCII)
AMPS = re.compile(r"\b(\d{1,4}(?:\.\d+)?)\s*A\b", re.ASCII)
MEMORY = re.compile(r"\b(\d{2,4})\s?GB\b", re.ASCII)

# Written in C where the package has it; both leave tags of Python alone.
EVENTS = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TEXTS = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class Reader:
    """Reads one file after the other.

    cards : the accelerators of the catalog: slug → power [W].
    kind : what the things are, where whoever imports them knows better than the file says.
    """

    def __init__(self, cards: Mapping[str, float | None], kind: str = ""):
        self.cards, self.kind = cards, kind
        self.first: dict[tuple[str, str], str] = {}  # kind and slug → file

    def read(self, file: str, content: bytes, harvest: Harvest) -> Iterator[None]:
        for line, document in _documents(content):
            harvest.rows += 1
            cells = {name: _plain(value) for name, value in (document or {}).items() if isinstance(value, str)}
            row = Row(file, line, cells, harvest.bad)
            if not document or not cells.get("manufacturer") or not cells.get("model"):
                row.refuse("manufacturer" if not cells.get("manufacturer") else "model", "not_a_device")
            else:
                self._take(row, document, harvest)
            yield

    def _take(self, row: Row, document: dict[str, Any], harvest: Harvest) -> None:
        vendor, model = row.text("manufacturer"), row.text("model")
        for column, most in (("manufacturer", LENGTHS["vendor"]), ("model", LENGTHS["model"])):
            if len(row.cells[column]) > most:
                row.refuse(column, "too_long", high=most)
                return
        kind = self.kind or kind_of(document)
        slug = row.cells.get("slug") or slugify(vendor, model)
        row.cells.setdefault("slug", slug)
        if not row.slug() or (kind, slug) in self.first:
            if (kind, slug) in self.first:
                row.refuse("slug", "duplicate", detail=self.first[kind, slug])
            return
        self.first[kind, slug] = row.file
        sheet = _Sheet(row, document, kind, self.cards)
        spec = row.spec(kind, sheet.values)
        if spec is None:
            return
        named = model if model.lower().startswith(vendor.lower()) else f"{vendor} {model}"
        cells = [cell for cell in filled(spec) if cell not in ("model", "item_kind")]
        said = {cell: sheet.said.get(cell, Provenance("sourced", "", ADDRESS)) for cell in cells}
        harvest.add(ItemRecord(slug, kind, named[:300], vendor, spec, said))
        harvest.doubts += machine(row.file, row.line, named, sheet.values, self.cards)
        if not self.kind and kind == "other":
            harvest.doubts.append(Doubt("kind_unknown", row.file, row.line, named))


class _Sheet:
    """The data sheet of a device: `values` by field, `said` where a value is not simply in the file."""

    def __init__(self, row: Row, document: dict[str, Any], kind: str, cards: Mapping[str, float | None]):
        self.row, self.document, self.kind, self.cards = row, document, kind, cards
        self.values: dict[str, Any] = {}
        self.said: dict[str, Provenance] = {}
        self.words = " ".join(str(document.get(name, "")) for name in ("model", "description", "comments"))
        if kind == "other":
            self.values = {"item_kind": "device", "description": row.cells["model"]}
        else:
            self.values = {"model": row.cells["model"], "rack_units": row.cells.get("u_height")}
            self._weight("weight", "weight_kg")
        self.values["part_number"] = row.cells.get("part_number")
        if kind in ("server", "switch", "mgmt"):
            self._power()
        if kind == "server":
            self._accelerators()
        if kind in ("switch", "mgmt"):
            self._ports()
        if kind in ("pdu", "ups", "cdu", "rdhx", "generator"):
            self._capacity()
        if kind in ("pdu", "ups"):
            self._input()
        if kind == "rack":
            self._outside()

    def estimate(self, cell: str, value: Any, rule: str) -> None:
        self.values[cell] = value
        self.said[cell] = Provenance("estimate", rule, ADDRESS)

    def _number(self, cell: str) -> float | None:
        """A number of the file; what is none is refused."""
        value = self.row.cells.get(cell, "")
        if not value:
            return None
        try:
            found = float(value)
        except ValueError:
            found = float("nan")
        if not 0 <= found < 1e9:
            self.row.refuse(cell, "not_a_number")
            return None
        return found

    def _weight(self, source: str, cell: str) -> None:
        weight, unit = self._number(source), self.row.cells.get("weight_unit", "kg")
        if weight is None:
            return
        if unit not in KG:
            self.row.refuse("weight_unit", "not_a_choice", detail=", ".join(KG))
        else:
            self.values[cell] = round(weight * KG[unit], 3)

    def _power(self) -> None:
        """`maximum_draw` is mostly the rating of a supply: their sum is more than the machine can draw."""
        ports = _entries(self.document, "power-ports")
        highest = [_watts(self.row, port, "maximum_draw") for port in ports]
        usual = [_watts(self.row, port, "allocated_draw") for port in ports]
        if self.kind == "server" and ports:
            self.values["psu_count"] = len(ports)
            same = set(filter(None, highest))
            if len(same) == 1:
                self.values["psu_w"] = same.pop()
        if any(highest):
            rule = (
                f"Sum of maximum_draw over {len(ports)} power ports: an upper bound, since supplies back each other up."
            )
            self.estimate("max_power_w", sum(filter(None, highest)), rule)
        if any(usual):
            self.estimate(
                "typical_power_w", sum(filter(None, usual)), f"Sum of allocated_draw over {len(ports)} power ports."
            )

    def _accelerators(self) -> None:
        found = COUNT_OF_CARDS.search(self.words)
        if not found or not int(found[1]):
            return
        count, memory = int(found[1]), MEMORY.search(self.row.cells["model"])
        each = int(memory[1]) / count if memory else 0.0
        if 0 < each < 16:  # the memory of one, not of all
            each = float(memory[1]) if memory else 0.0
        self.estimate("accelerator_count", count, f"Read out of the comments: “{found[0].strip()}”.")
        machine_name = (
            self.words
            if "sxm" in self.words.lower()
            else f"{self.words} sxm"
            if "nvswitch" in self.words.lower()
            else ""
        )
        named = card(found[2], machine_name, each, self.cards)
        if named:
            rule = f"Read out of the comments: “{found[0].strip()}”. {named.guess}".strip()
            self.estimate("accelerator_slug", named.slug, rule)

    def _ports(self) -> None:
        speeds = Counter(
            speed
            for port in _entries(self.document, "interfaces")
            if port.get("mgmt_only") != "true"
            and not MANAGEMENT.search(f"{port.get('name', '')} {port.get('description', '')}")
            if (speed := speed_of(port.get("type", "")))
        )
        if not speeds:
            return
        many = self.kind == "mgmt"  # of a management switch the ports count, of others what they carry
        speed, count = max(speeds.items(), key=lambda pair: (pair[1] * (1.0 if many else pair[0]), pair[0]))
        self.values |= {"ports": count, "port_speed_gbps": speed}

    def _capacity(self) -> None:
        found = KILOWATTS.search(self.words)
        if found:
            value = float(found[1]) / (1000 if found[2] == "VA" else 1)
            note = "" if found[2] == "kW" else " Taken at a power factor of 1."
            self.estimate("capacity_kw", value, f"Read out of the comments: “{found[0]}”.{note}")

    def _input(self) -> None:
        ports = _entries(self.document, "power-ports")
        plug = ports[0].get("type", "") if ports else ""
        for cell, pattern in (("volts", VOLTS), ("amps", AMPS)):
            if found := pattern.search(self.words):
                self.estimate(cell, float(found[1]), f"Read out of the comments: “{found[0]}”.")
        if re.search(r"-3p-|\b3[- ]?(?:phase|ph)\b|three[- ]phase|^cs8[34]65", f"{plug} {self.words}", re.IGNORECASE):
            self.values["phases"] = 3
        elif re.search(
            r"-p-n-e|-2p-e|c14|c20|nema-(?:5|l5|6|l6)-|single[- ]phase|1[- ]?phase",
            f"{plug} {self.words}",
            re.IGNORECASE,
        ):
            self.values["phases"] = 1

    def _outside(self) -> None:
        unit = self.row.cells.get("outer_unit", "mm")
        if unit not in MM:
            self.row.refuse("outer_unit", "not_a_choice", detail=", ".join(MM))
            return
        for source, cell in (("outer_width", "width_mm"), ("outer_depth", "depth_mm"), ("outer_height", "height_mm")):
            size = self._number(source)
            if size:
                self.values[cell] = round(size * MM[unit], 1)
        self._weight("max_weight", "max_load_kg")


def kind_of(document: Mapping[str, Any]) -> str:
    """What a thing is: a rack type by its form; else by its outlets, its words, its network ports."""
    if "form_factor" in document and not _entries(document, "power-ports"):
        return "rack"
    words = " ".join(
        str(document.get(name, "")) for name in ("model", "part_number", "slug", "description", "comments")
    )
    outlets = len(_entries(document, "power-outlets"))
    for kind, pattern in WORDS:
        if pattern.search(words) and (outlets or kind not in ("pdu", "ups") or not _ports_of(document)):
            return kind
    if outlets > 2:
        return "pdu"
    speeds, named = _ports_of(document), " ".join(str(document.get(n, "")) for n in ("model", "part_number", "slug"))
    if COUNT_OF_CARDS.search(words) or SERVER.search(named):
        return "server"
    if SWITCH.search(words) or len(speeds) >= 16:
        return "mgmt" if speeds and sorted(speeds)[len(speeds) // 2] <= 1 else "switch"
    bays = [str(bay.get("name", "")) for bay in _entries(document, "module-bays")]
    if (
        SERVER.search(words)
        or any("psu" in name.lower() for name in bays)
        or document.get("subdevice_role") == "parent"
    ):
        return "server"
    return "other"


def speed_of(type_: str) -> float:
    """Gbit/s of an interface by its type; 0 where it has none."""
    if NOT_A_PORT.match(type_):
        return 0.0
    if type_.startswith("infiniband-"):
        return float(INFINIBAND.get(type_.removeprefix("infiniband-"), 0))
    found = SPEED.match(type_)
    return float(found[1]) * (1.0 if found[2] else 0.001) if found else 0.0


def _ports_of(document: Mapping[str, Any]) -> list[float]:
    ports = [port for port in _entries(document, "interfaces") if port.get("mgmt_only") != "true"]
    return [speed for port in ports if (speed := speed_of(port.get("type", "")))]


def _entries(document: Mapping[str, Any], name: str) -> list[dict[str, str]]:
    found = document.get(name)
    if not isinstance(found, list):
        return []
    return [{k: _plain(v) for k, v in one.items() if isinstance(v, str)} for one in found if isinstance(one, dict)]


def _plain(text: str) -> str:
    """The text of a scalar; "" where the file says that there is none."""
    return "" if text in ("null", "~") else text.strip()


def _watts(row: Row, port: dict[str, str], name: str) -> float | None:
    value = port.get(name, "")
    if not value:
        return None
    try:
        watts = float(value)
    except ValueError:
        watts = float("nan")
    if not 0 <= watts <= 500_000:
        row.bad.append(BadCell(row.file, row.line, name, value[:200], "out_of_bounds", low=0, high=500_000, unit="W"))
        return None
    return watts


def _documents(content: bytes) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """(line, document) of a file, after a look at its size, depth and aliases; raises Unreadable."""
    if len(content) > MAX_YAML_BYTES:
        raise Unreadable("too_large", value=f"{len(content):,}", high=MAX_YAML_BYTES)
    text = text_of(content)
    try:
        lines = list(_checked(text))
        found = list(yaml.load_all(text, Loader=TEXTS))
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        detail = str(getattr(error, "problem", None) or "not YAML")
        if "nesting depth" in detail:  # the package's own limit, met while it looks ahead
            raise Unreadable("too_deep", line, high=MAX_DEPTH) from None
        raise Unreadable("broken_yaml", line, detail=detail[:120]) from None
    except (ValueError, RecursionError) as error:  # such as two values that stand for one another's key
        raise Unreadable("broken_yaml", detail=type(error).__name__) from None
    for line, document in zip(lines, found, strict=True):
        yield line, document if isinstance(document, dict) else None


def _checked(text: str) -> Iterator[int]:
    """The line on which each document begins. Reads the events alone, which nest nothing and build nothing."""
    depth = nodes = 0
    for event in yaml.parse(text, Loader=EVENTS):
        line = getattr(event.start_mark, "line", 0) + 1
        if isinstance(event, yaml.AliasEvent):
            raise Unreadable("yaml_alias", line, value=f"*{event.anchor}"[:40])
        if isinstance(event, yaml.DocumentStartEvent):
            yield line
        nodes += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise Unreadable("too_deep", line, value=str(depth), high=MAX_DEPTH)
        if nodes > MAX_NODES:
            raise Unreadable("too_many_nodes", line, value=f"{nodes:,}", high=MAX_NODES)
