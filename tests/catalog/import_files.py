"""Small files in the forms of others, written by hand for these tests."""

# Form of the SkyPilot service catalog (github.com/skypilot-org/skypilot-catalog). The prices are made up.
SKYPILOT = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
    "cpu_4x,,,4.0,16.0,0.2,here-1,,\n"
    "gpu_1x_h100_pcie,H100,1.0,26.0,200.0,2.5,here-1,,\n"
    "gpu_8x_h100_sxm5,H100,8.0,208.0,1800.0,24.0,here-1,,9.5\n"
    "gpu_8x_h100_sxm5,H100,8.0,208.0,1800.0,24.0,there-2,,0.00\n"
    "gpu_1x_q6000,RTX6000,1.0,14.0,46.0,0.5,here-1,,\n"
)

# Form of the NetBox device type library (CC0). Facts of the DGX A100 as that library's file has them: two supplies of
# 1,071 W, eight cards; its maker's data sheet says 6.5 kW at most.
DGX_A100 = """---
manufacturer: Nvidia
model: NVIDIA DGX A100 640GB
slug: nvidia-dgx-a100-640gb
part_number: DGXA-G640F+P2EDI36
u_height: 6
is_full_depth: true
comments: 'GPUs: 8 NVIDIA A100 GPUs, interconnected with NVSwitch technology'
power-ports:
  - name: Power Supply 1
    type: iec-60320-c14
    maximum_draw: 1071
    allocated_draw: 586
  - name: Power Supply 2
    type: iec-60320-c14
    maximum_draw: 1071
    allocated_draw: 586
"""
# Measures of an APC AR3300 as in the library: 42 U, 134.09 kg, bears 1,701 kg.
RACK = """---
manufacturer: APC
model: AR3300
slug: test-ar3300
part_number: 00367901234567890323
form_factor: 4-post-cabinet
width: 19
u_height: 42
outer_height: 1991
outer_depth: 1200
outer_unit: mm
weight: 134.09
max_weight: 1701
weight_unit: kg
"""
PDU = """---
manufacturer: APC
model: AP8868
slug: test-ap8868
u_height: 0
weight: 10
weight_unit: lb
comments: Rack PDU 2G, Metered, ZeroU, 10.0kW, 208V, (36) C13 & (6) C19
power-ports:
  - name: Power Port 1
    type: cs8365c
power-outlets:
  - name: Bank1-C13-1
    type: iec-60320-c13
  - name: Bank1-C13-2
    type: iec-60320-c13
  - name: Bank1-C13-3
    type: iec-60320-c13
"""

QUOTE = (
    "Acme GmbH;;;;\n"
    "Quote 2026-117;;;;\n"
    "Part No;Item;Unit price;Curr;MOQ\n"
    "90.750;Gasket 密封垫;1.234,50;EUR;1\n"
    "90.750;Gasket 密封垫;1.100,00;EUR;10\n"
    "00367901234567890323;Board;20,00;EUR;1\n"
)
MAPPING = {
    "part_number": "Part No",
    "description": "Item",
    "price": "Unit price",
    "currency": "Curr",
    "quantity": "MOQ",
}

OFFERS = (
    "slug,provider,instance_type,accelerator_slug,provider_class,billing_unit,accelerator_count,region,price_per_hour,"
    "currency,pricing_model,price_date,source_url,note\n"
)


def offer(slug="x-1", count="8", price="24", url="https://example.com/prices", day="2026-03", region="here-1"):
    return f"{slug},x,m.8,h100-sxm,neocloud,instance,{count},{region},{price},USD,on_demand,{day},{url},\n"
