"""Names of months, halves of days and zones as they stand in dates.

A month is found by its whole name or by its beginning, so that of most only a few letters are here.
"""

MONTHS: dict[str, int] = {}
"""Number by name, in lower case."""

# One line a month.  English first; then German, French, Spanish, Italian, Portuguese, Dutch, Danish, Polish, Czech,
# Hungarian, Finnish, Turkish, Russian, Ukrainian, Greek, Norwegian, Romanian, Indonesian and Bulgarian, where they
# differ.
_NAMES = """
jan january janvier enero ene gennaio gen styczen sty ledna led tammi oca янв січ ιαν jän ian яну
feb february fév fevrier février fev febbraio lut lutego února úno helmi şub subat фев лют φεβ
mar march märz mär mrz maerz mars marzo maart mrt brez břez márc maalis мар бер μαρ μάρ
apr april avr avril abr abril aprile kwi dub ápr huhti nis апр кві απρ
may mai mayo mag maggio maio mei maj mája maja kvě máj touko мая май тра μαι μαϊ μάι μαΐ
jun june juni juin junio giu giugno cze čer červ jún kesä haz июн чер ιουν ιούν iun юни
jul july juli juil juillet julio lug luglio lip červenec července júl heinä tem июл лип ιουλ ιούλ iul юли
aug august aoû août aout ago agosto sie srp aug elo ağu авг сер αυγ αύγ agu
sep sept september septembre set wrz zář szep syys eyl сен вер σεπ сеп
oct october okt oktober octobre ott out paź paz říj loka eki окт жов οκτ
nov november novembre lis list marras kas ноя лис νοε νοέ noi ное
dec december dez dezember déc décembre dic dicembre diciembre gru pro joulu ara дек гру δεκ des
"""
for _number, _line in enumerate(_NAMES.strip().splitlines(), 1):
    for _name in _line.split():
        MONTHS.setdefault(_name, _number)

AFTERNOON = frozenset(("오후", "下午", "午後", "μμ", "pm"))
MORNING = frozenset(("오전", "上午", "午前", "πμ", "am"))

ZONES: dict[str, float] = {
    "UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "IST": 5.5, "CET": 1, "CEST": 2, "MET": 1,
    "MEZ": 1, "MEST": 2, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3, "MSD": 4, "NST": -3.5, "NDT": -2.5, "AT": -4,
    "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "ET": -5, "CST": -6, "CDT": -5, "CT": -6, "MST": -7, "MDT": -6,
    "MT": -7, "PST": -8, "PDT": -7, "PT": -8, "AKST": -9, "AKDT": -8, "HST": -10, "BRT": -3, "PKT": 5, "ICT": 7,
    "WIB": 7, "HKT": 8, "SGT": 8, "AWST": 8, "PHT": 8, "JST": 9, "KST": 9, "ACST": 9.5, "ACDT": 10.5, "AEST": 10,
    "AEDT": 11, "NZST": 12, "NZDT": 13, "SAST": 2, "WAT": 1, "CAT": 2, "EAT": 3, "IDT": 3, "TRT": 3, "IRST": 3.5,
    "GST": 4, "SAMT": 4, "AFT": 4.5, "UZT": 5, "YEKT": 5, "NPT": 5.75, "BDT": 6, "OMST": 6, "MMT": 6.5, "KRAT": 7,
    "NOVT": 7, "IRKT": 8, "MYT": 8, "WITA": 8, "WIT": 9, "YAKT": 9, "CHST": 10, "VLAT": 10, "MAGT": 11, "PETT": 12,
    "ART": -3, "UYT": -3, "BOT": -4, "CLT": -4, "CLST": -3, "VET": -4, "COT": -5, "ECT": -5, "PET": -5, "HDT": -9,
    "SST": -11,
}  # fmt: skip
"""Hours ahead of UTC.  Where one name has several zones, the one most people live in that write such dates."""
