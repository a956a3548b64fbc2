#!/usr/bin/python3
"""Reads a StanForD 2010 message back, written from a description of the messages alone. Shares no code with the
program.

    read_stanford.py FILE.mom|FILE.fpr|FILE.hpr

A line for each sum: its name and value. Status 1 with a sentence if something that must be there is missing, if parts
do not add up, or if the file could pass for that of a real machine.
"""
import datetime
import sys
import xml.etree.ElementTree as ElementTree

SPACE = "{urn:skogforsk:stanford2010}"
UNITS = {"areaUnit": "ha", "diameterUnit": "mm", "lengthUnit": "cm", "volumeUnit": "m3", "weightUnit": "kg"}
RUN_TIME = {"Processing", "Terrain travel", "Other work"}


def fail(sentence):
    print(sentence)
    sys.exit(1)


def find(parent, name):
    found = parent.find(SPACE + name)
    if found is None:
        fail(f"{parent.tag.replace(SPACE, '')} has no {name}")
    return found


def text(parent, *names):
    for name in names:
        parent = find(parent, name)
    return (parent.text or "").strip()


def all_of(parent, name):
    return parent.findall(SPACE + name)


def time(parent, name):
    at = datetime.datetime.fromisoformat(text(parent, name))
    if at.tzinfo is None:
        fail(f"{name} has no zone")
    return at


def head(root, kind):
    for name, unit in UNITS.items():
        if root.get(name) != unit:
            fail(f"{name} is {root.get(name)}, not {unit}")
    if root.get("version") != "3.6":
        fail("the version is not 3.6")
    time(find(root, kind + "Header"), "CreationDate")
    machine = find(root, "Machine")
    if machine.get("machineCategory") not in ("Harvester", "Forwarder"):
        fail("the machine has no category")
    if text(machine, "MachineBaseManufacturer") != "Knuckleboom (simulated)":
        fail("the manufacturer does not say that the machine is simulated")
    if text(machine, "MachineOwnerID") != "":
        fail("the machine has an owner")
    if text(machine, "ObjectDefinition", "ObjectName") != "SIMULATION":
        fail("the object does not say that it is simulated")
    for name in ("MachineKey", "MachineUserID", "MachineApplicationVersion", "MachineBaseModel"):
        if text(machine, name) == "":
            fail(f"{name} is empty")
    return machine


def monitoring(machine):
    operators = {text(one, "OperatorKey") for one in all_of(machine, "OperatorDefinition")}
    objects = {text(one, "ObjectKey") for one in all_of(machine, "ObjectDefinition")}
    settings = {text(one, "MonitoringSettingsKey") for one in all_of(machine, "MonitoringSettings")}
    sums = dict.fromkeys(RUN_TIME, 0)
    driven = fuel = engine = 0
    last = None
    for one in all_of(machine, "IndividualMachineWorkTime"):
        if text(one, "OperatorKey") not in operators or text(one, "ObjectKey") not in objects:
            fail("an interval names an operator or an object that there is not")
        if text(one, "MonitoringSettingsKey") not in settings:
            fail("an interval names settings that there are not")
        length = int(text(one, "MonitoringTimeLength"))
        begin = time(one, "MonitoringStartTime")
        if length <= 0 or (last is not None and begin < last):
            fail("an interval is empty, or begins before the last one has ended")
        last = begin + datetime.timedelta(seconds=length)
        category = text(one, "IndividualMachineRunTimeCategory")
        if category not in RUN_TIME:
            fail(f"{category} is no category of run time")
        sums[category] += length
        engine += int(text(one, "OtherMachineData", "EngineTime"))
        driven += int(text(one, "OtherMachineData", "DrivenDistance"))
        fuel += int(text(one, "OtherMachineData", "FuelConsumption"))
    report = find(machine, "ReportInterval")
    if time(report, "ReportEndTime") != last or text(report, "ReportFilterCategory") != "No filter":
        fail("the report does not end with its last interval, or is filtered")
    if int(text(machine, "MachineDrivenDistance")) != driven or int(text(machine, "MachineFuelConsumption")) != fuel:
        fail("ways or fuel of the intervals do not add up to the machine's")
    if abs(int(text(machine, "MachineEngineTime")) - engine / 60.0) > 0.5:
        fail("the engine's minutes are not those of the intervals")
    print(f"processing_s {sums['Processing']}")
    print(f"travel_s {sums['Terrain travel']}")
    print(f"driven_m {driven}")


def forwarding(machine):
    deliveries = {text(one, "DeliveryKey") for one in all_of(machine, "DeliveryDefinition")}
    locations = {text(one, "LocationKey") for one in all_of(machine, "LocationDefinition")}
    loads = all_of(machine, "Load")
    volume = mass = distance = 0.0
    unloaded = 0
    for number, load in enumerate(loads, 1):
        if int(text(load, "LoadNumber")) != number:
            fail("the loads are not numbered in order")
        if all_of(load, "UnloadingTime"):
            unloaded += 1
            time(load, "UnloadingTime")
        distance += float(text(load, "DistanceFromLastUnloading"))
        for part in all_of(load, "PartialLoad"):
            if text(part, "DeliveryKey") not in deliveries or text(part, "LocationKey") not in locations:
                fail("a part of a load names a delivery or a location that there is not")
            if "m3sob" not in find(part, "LoadVolume").get("loadVolumeCategory", ""):
                fail("a volume does not say how it is measured")
            volume += float(text(part, "LoadVolume"))
            mass += float(text(part, "LoadGreenMass"))
    print(f"loads {len(loads)}")
    print(f"unloaded {unloaded}")
    print(f"volume_m3 {volume:.4f}")
    print(f"mass_kg {mass:.0f}")
    print(f"distance_m {distance:.0f}")


def harvest(machine):
    products = {text(one, "ProductKey") for one in all_of(machine, "ProductDefinition")}
    species = {text(one, "SpeciesGroupKey") for one in all_of(machine, "SpeciesGroupDefinition")}
    operators = {text(one, "OperatorKey") for one in all_of(machine, "OperatorDefinition")}
    objects = {text(one, "ObjectKey") for one in all_of(machine, "ObjectDefinition")}
    stems = all_of(machine, "Stem")
    logs = length = 0
    volume = {"m3sob": 0.0, "m3sub": 0.0}
    for number, stem in enumerate(stems, 1):
        if int(text(stem, "StemNumber")) != number or text(stem, "ProcessingCategory") != "SingleTreeProcessing":
            fail("the stems are not numbered in order, or not processed singly")
        if text(stem, "SpeciesGroupKey") not in species:
            fail("a stem names a species that there is not")
        if text(stem, "OperatorKey") not in operators or text(stem, "ObjectKey") not in objects:
            fail("a stem names an operator or an object that there is not")
        time(stem, "HarvestDate")
        processed = find(stem, "SingleTreeProcessedStem")
        breast = int(text(processed, "DBH"))
        if int(text(processed, "ReferenceDiameter")) <= 0 or text(processed, "StemGrade") == "":
            fail("a stem has no reference diameter or no grade")
        for key, log in enumerate(all_of(processed, "Log"), 1):
            if int(text(log, "LogKey")) != key or text(log, "ProductKey") not in products:
                fail("logs are not numbered in order, or of a product that there is not")
            for one in all_of(log, "LogVolume"):
                volume[one.get("logVolumeCategory", "")] += float(one.text)
            measured = find(log, "LogMeasurement")
            top = find(measured, "LogDiameter")
            if top.get("logDiameterCategory") != "Top ob" or not 0 < int(top.text) <= 1.2 * breast:
                fail("a log's diameter is not that of its top on bark")
            length += int(text(measured, "LogLength"))
            logs += 1
    print(f"stems {len(stems)}")
    print(f"logs {logs}")
    print(f"length_cm {length}")
    print(f"volume_sob_m3 {volume['m3sob']:.4f}")
    print(f"volume_sub_m3 {volume['m3sub']:.4f}")


def main():
    root = ElementTree.parse(sys.argv[1]).getroot()
    if root.tag == SPACE + "OperationalMonitoring":
        monitoring(head(root, "OperationalMonitoring"))
    elif root.tag == SPACE + "ForwardedProduction":
        forwarding(head(root, "ForwardedProduction"))
    elif root.tag == SPACE + "HarvestedProduction":
        harvest(head(root, "HarvestedProduction"))
    else:
        fail(f"{root.tag} is no message that is known")


main()
