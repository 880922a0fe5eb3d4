"""Every kind of work → GPUs, worked by hand from the sizing reference; which limit decides, and which would next."""

import math

import pytest

from planner.engine.inputs import ModelShape, Scenario
from planner.engine.needs.case import scaled
from planner.engine.quantities import InputError
from tests.engine.sample import book, document, evaluated, plan

MONTH_S = 730.5 * 3600.0  # a mean month
EIGHT = {"params_b": 8.0, "layers": 32, "hidden": 4096, "heads": 32}
SEVENTY = {"params_b": 70.0, "layers": 80, "hidden": 8192, "heads": 64}
STILL = {"kind": "constant"}


def card(**more):
    """A price book whose one GPU has 80 GB, 400 TFLOP/s in 16 bit, 50 TFLOP/s in FP64, unless said."""
    gpu = {"memory_gb": 80, "memory_bw_gbps": 2000, "bf16_tflops": 400, "fp64_tflops": 50, "architecture": "Hopper"}
    known = book().model_dump(mode="json")["accelerators"]
    return book(accelerators={**known, "gpu": {"slug": "gpu", "name": "GPU", **gpu, **more}})


def work(kind, **more):
    return {"kind": kind, "slug": "work", "accelerator": "gpu", "growth": STILL, **more}


def need(one, prices=None, **changes):
    result = evaluated(plan(), work=one, months=1, prices=prices or card(), **changes).plans[0]
    return result.requirements["box"]["work"]


def tuning(**more):
    return work("tuning", **{"model": EIGHT, "sequence": 1024, "runs_per_month": 20.0, **more})


# ── Tuning ──


def test_an_adapter_run_does_4_operations_per_parameter_and_token():
    # 4 × 8e9 × 2e8 FLOP at 400e12 × 0.379 × 0.95, the band of one Hopper server: 12.344 GPU-hours
    hours = 4 * 8e9 * 2e8 / (400e12 * 0.379 * 0.95) / 3600
    found = need(tuning(tokens_m=200.0))
    assert found.factors["gpu_hours_per_run"] == pytest.approx(hours)
    assert found.mean[0, 0] == pytest.approx(20 * hours / 730.5)
    assert found.gang == 1


def test_tuning_all_weights_does_6():
    adapters, everything = (
        need(tuning(tokens_m=200.0, method=method), card(memory_gb=640)).factors["gpu_hours_per_run"]
        for method in ("lora", "full")
    )
    assert everything == pytest.approx(1.5 * adapters)


def test_a_small_run_takes_an_hour_at_a_tenth_of_the_peak():
    # 4 × 8e9 × 1e6 FLOP at 40e12 × 0.95 are 842 s: the floor of an hour holds
    assert need(tuning(tokens_m=1.0)).mean[0, 0] == pytest.approx(20 / 730.5)
    # 4 × 8e9 × 9e7 at 40e12 × 0.95 are 21.05 h, of which a full-speed run would need 5.6
    hours = 4 * 8e9 * 9e7 / (400e12 * 0.10 * 0.95) / 3600
    assert need(tuning(tokens_m=90.0)).mean[0, 0] == pytest.approx(20 * hours / 730.5)


def test_a_small_run_on_four_gpus_holds_all_four_for_the_hour():
    assert need(tuning(model=SEVENTY, tokens_m=0.01)).mean[0, 0] == pytest.approx(20 * 4 / 730.5)


@pytest.mark.parametrize(
    ("model", "method", "memory_gb", "gang"),
    [  # sizing reference 10, test vectors
        ({**EIGHT, "params_b": 7.0}, "qlora4", 24, 1),
        ({**EIGHT, "params_b": 7.0}, "qlora4", 12, 1),  # 6.55 GB of 7.8 usable
        (SEVENTY, "lora", 80, 4),  # 152.5 GB over 69 usable
        (SEVENTY, "lora", 141, 2),
        (EIGHT, "full", 80, 4),  # 144 GB: two are 6 GB short
    ],
)
def test_the_gang_of_a_tuning_run_is_that_of_the_published_vector(model, method, memory_gb, gang):
    found = need(tuning(model=model, method=method, tokens_m=5.0), card(memory_gb=memory_gb))
    assert (found.gang, found.gang_memory) == (gang, gang)


def test_tuning_on_long_texts_adds_activations_to_every_gpu():
    # 12 × 4096 tokens are 47104 over 2048: × 4096 wide × (2 × 32 + 34) bytes = 18.9 GB, and 24 GB leave 18.6
    long = {"model": {**EIGHT, "params_b": 7.0}, "method": "qlora4", "sequence": 4096}
    assert need(tuning(**long, micro_batch=4), card(memory_gb=24)).gang == 1
    never = need(tuning(**long, micro_batch=12), card(memory_gb=24))
    assert not never.fits
    assert never.limits["memory"] == math.inf


def test_a_measured_rate_of_tuning_has_no_floor():
    # 1e6 tokens at 1000 a second are 1000 s
    measured = work("tuning", tokens_m=1.0, runs_per_month=730.5, goodput=1.0, measured_tokens_per_s_per_gpu=1000.0)
    assert need(measured).mean[0, 0] == pytest.approx(1000 / 3600)


# ── Simulation ──


def test_fp64_work_is_operations_over_peak_times_share():
    # 50 TFLOP/s × 0.4 do 52.596 EFLOP in a mean month: 525.96 keep ten GPUs busy, 12.5 at 80 %
    found = need(work("hpc", exaflop_per_month=10 * 20e12 * MONTH_S / 1e18, efficiency=0.4))
    assert found.mean[0, 0] == pytest.approx(10.0)
    assert found.required[0, 0] == pytest.approx(12.5)
    assert found.ranked == [("throughput", pytest.approx(12.5)), ("job", 1.0)]


def test_the_largest_job_of_a_simulation_may_decide():
    found = need(work("hpc", exaflop_per_month=20e12 * MONTH_S / 1e18, efficiency=0.4, gang_gpus=8))
    assert found.required[0, 0] == 8.0
    assert (found.limit, found.runner_up) == ("job", "throughput")


def test_a_measured_rate_replaces_the_peak():
    found = need(work("hpc", exaflop_per_month=5e12 * MONTH_S / 1e18, measured_tflops_per_gpu=5.0), card(fp64_tflops=0))
    assert found.mean[0, 0] == pytest.approx(1.0)


def test_without_an_fp64_rate_a_simulation_is_refused():
    with pytest.raises(InputError) as caught:
        need(work("hpc"), card(fp64_tflops=None))
    assert caught.value.problems[0].code == "no_rate"


# ── Work that may wait ──


def test_items_a_month_at_a_measured_rate():
    found = need(work("batch", items_m_per_month=2 * MONTH_S / 1e6, measured_rate_per_gpu=1.0))
    assert found.mean[0, 0] == pytest.approx(2.0)
    assert found.required[0, 0] == pytest.approx(2.0 / 0.95)
    assert not found.reserve.any()


def test_tokens_a_month_replace_the_items():
    found = need(work("batch", tokens_b_per_month=3 * 1000 * MONTH_S / 1e9, measured_rate_per_gpu=1000.0))
    assert found.mean[0, 0] == pytest.approx(3.0)


@pytest.mark.parametrize("in_tokens", [False, True])
def test_offline_inference_runs_at_the_saturated_rate_of_serving(in_tokens):
    # 1e6 requests a day, relaxed (0.90), are 30.4375e6 items of 1300 tokens a month
    online = need(work("serving", model=EIGHT, requests_per_day=1e6))
    amount = {"tokens_b_per_month": 30.4375e6 * 1300 / 1e9} if in_tokens else {"items_m_per_month": 30.4375}
    offline = need(work("batch", model=EIGHT, **amount))
    assert offline.mean[0, 0] == pytest.approx(0.90 * online.mean[0, 0])


def test_a_model_that_needs_two_gpus_holds_two_however_little_the_work():
    found = need(work("batch", model=SEVENTY, items_m_per_month=0.001))  # 70 GB of weights over 69 usable
    assert found.required[0, 0] == 2.0
    assert found.ranked[0] == ("memory", 2.0)


@pytest.mark.parametrize(
    ("busy", "needed"),
    [
        (1.8, 2.0),  # 1.8 / 0.95 = 1.89: one copy of 2
        (4.0, 6.0),  # 4.0 / 0.95 = 4.21: three copies, not 5 GPUs
        (5.7, 6.0),  # 5.7 / 0.95 = 6: three copies exactly
        (5.8, 8.0),
    ],
)
def test_offline_work_takes_whole_copies_of_a_model_of_two_gpus(busy, needed):
    amount = {"items_m_per_month": busy * MONTH_S / 1e6, "measured_rate_per_gpu": 1.0}
    found = need(work("batch", model=SEVENTY, **amount))
    assert found.replica == 2
    assert found.mean[0, 0] == pytest.approx(busy)
    assert found.required[0, 0] == pytest.approx(needed)


def test_a_plan_warns_of_gpus_that_complete_no_copy_of_offline_work():
    # 1.8 GPUs are busy in copies of 2; one box has 3: one completes none
    amount = {"items_m_per_month": 1.8 * MONTH_S / 1e6, "measured_rate_per_gpu": 1.0}
    prices = card()
    boxes = {slug: build.model_dump(mode="json") for slug, build in prices.builds.items()}
    boxes["box"] |= {"accelerator_count": 3, "chassis_slots": 3}
    prices = book(accelerators=prices.model_dump(mode="json")["accelerators"], builds=boxes)
    result = evaluated(plan(), work=work("batch", model=SEVENTY, **amount), months=1, prices=prices).plans[0]
    (told,) = [warning.facts for warning in result.warnings if warning.code == "stranded_gpus"]
    assert (told["gpus"], told["left_gpus"], told["needed_gpus"]) == (3.0, 1.0, 2)


@pytest.mark.parametrize("kind", ["batch", "tuning"])
def test_work_without_model_preset_or_measured_rate_is_refused(kind):
    with pytest.raises(InputError):
        Scenario.read(document(plan(), work=work(kind)))


# ── Training ──


def training(**more):
    return work(
        "training",
        **{"model": SEVENTY, "sequence": 1024, "tokens_b": 100.0, "deadline_days": 60.0, "runs_per_month": 0.1, **more},
    )


def test_the_deadline_decides_and_memory_is_next():
    # 6 × 70e9 × 1e11 FLOP at 400e12 × 0.38 × 0.85: 90 299 GPU-hours, 63 GPUs in 60 days → 64; memory: 1.27 TB → 24
    found = need(training())
    assert found.gang == 64
    assert found.ranked[:2] == [("deadline", 63.0), ("memory", 24.0)]


def test_phases_add_up_and_the_longest_sequence_needs_the_memory():
    parts = [{"tokens_b": 60.0, "sequence": 1024}, {"tokens_b": 40.0, "sequence": 2048}]
    whole, split = need(training()), need(training(phases=parts, tokens_b=1.0))
    assert split.factors["gpu_hours_per_run"] == pytest.approx(whole.factors["gpu_hours_per_run"])
    # 12 × 80 × 8192 × 32768 ÷ 2 (causal) FLOP a token on top of 6 × 70e9, for two fifths of the tokens
    parts[1]["sequence"] = 32768
    extra = 0.4 * 12 * 80 * 8192 * 32768 / 2 / (6 * 70e9)
    longer = need(training(phases=parts))
    assert longer.factors["gpu_hours_per_run"] == pytest.approx(whole.factors["gpu_hours_per_run"] * (1 + extra))
    # 80 × 2 × 32768 × 8192 + 34 × 32768 × 8192 = 52.1 GB of activations leave 13.4 of 69: 1260 GB over 94 GPUs
    assert longer.gang_memory == 96


@pytest.mark.parametrize(("band", "share"), [("low", 0.15), ("base", 0.38 * 0.85), ("high", 0.42)])
def test_the_band_of_h100_runs(band, share):  # sizing reference 1.3: H100 BF16 dense, 0.15 to 0.42 of MFU × goodput
    hours = 6 * 70e9 * 1e11 / (400e12 * share) / 3600
    assert need(training(band=band)).factors["gpu_hours_per_run"] == pytest.approx(hours)


def test_recomputing_everything_costs_a_third_more_time():  # sizing reference 1.1: MFU = HFU × 6/8
    usual, everything = (need(training(recompute=kind)).factors["gpu_hours_per_run"] for kind in ("typical", "full"))
    assert everything == pytest.approx(usual * 8 / 6)


def test_recomputing_less_needs_more_memory():
    # 34 bytes × 4096 × 8192 × 80 layers are 91 GB, more than a card of 80 GB has
    assert need(training(sequence=4096, recompute="full")).fits
    assert not need(training(sequence=4096, recompute="selective")).fits


# ── Serving ──


def test_separate_prompt_and_answer_servers_add_their_gpu_seconds():
    # 1000 ÷ 10 000 + 300 ÷ 2000 = 0.25 GPU-seconds a request: 4 requests a second of each GPU, 0.9 within the class
    split = work(
        "serving",
        measured_prefill_tokens_per_s_per_gpu=10_000.0,
        measured_decode_tokens_per_s_per_gpu=2_000.0,
        requests_per_day=86_400 * 3.6,
    )
    assert need(split).mean[0, 0] == pytest.approx(1.0)


def test_half_a_split_fleet_is_refused():
    half = work("serving", model=EIGHT, measured_prefill_tokens_per_s_per_gpu=1.0)
    with pytest.raises(InputError) as caught:
        Scenario.read(document(plan(), work=half))
    assert caught.value.problems[0].code == "conflict"


def test_a_model_larger_than_a_server_is_served_over_two():
    # sizing reference 10: 671 GB of FP8 weights need two servers of 8 × 80 GB
    deep = {"params_b": 671.0, "active_params_b": 37.0, "layers": 61, "hidden": 7168, "heads": 128, "moe": True}
    deep |= {"attention": "MLA", "kv_lora_rank": 512, "rope_head_dim": 64}
    found = need(work("serving", model=deep, requests_per_day=100.0), card(fp8_tflops=800))
    assert found.gang == 16
    assert found.required[0, 0] == 32.0  # one replica and a spare one
    assert found.ranked[0][0] == "redundancy"


def test_redundancy_decides_a_small_service_and_throughput_a_large_one():
    rate = {"measured_requests_per_s_per_gpu": 1.0}
    small, large = (need(work("serving", requests_per_day=day, **rate)) for day in (86_400.0, 86_400.0 * 10))
    assert small.ranked[:2] == [("redundancy", 16.0), ("throughput", 8.0)]
    assert large.ranked[:2] == [("throughput", 48.0), ("redundancy", 16.0)]  # 10 ÷ 0.9 × 3 ÷ 0.8 = 41.7


@pytest.mark.parametrize(("cards", "left"), [(2, None), (3, 1), (4, None), (5, 1), (6, None), (7, 1)])
def test_gpus_that_fit_into_no_copy_of_the_model_are_told(cards, left):
    # 70 GB of 8-bit weights take two GPUs of 69 GB usable; a third, fifth or seventh carries nothing
    one = work("serving", model=SEVENTY, requests_per_day=1.0, spare_servers=0)
    result = evaluated(plan(start={"build": "chassis", "cards": cards}), work=one, months=1, prices=card()).plans[0]
    found = [warning.facts["left_gpus"] for warning in result.warnings if warning.code == "stranded_gpus"]
    assert found == ([] if left is None else [left])


def test_the_public_result_names_limit_and_runner_up_with_their_gpus():
    plain = evaluated(plan(), work=training(), months=1, prices=card()).as_dict()
    (row,) = plain["plans"][0]["sizing"]
    assert (row["item"], row["limit"], row["runner_up"]) == ("box", "deadline", "memory")
    assert (row["gpus"], row["largest_job_gpus"]) == (64.0, 64)
    assert (row["limits"]["deadline"], row["limits"]["memory"]) == (63.0, 24.0)


def test_what_no_number_of_gpus_satisfies_is_none_in_the_public_result():
    plain = evaluated(plan(), work=training(sequence=4096, recompute="none"), months=1, prices=card()).as_dict()
    assert plain["plans"][0]["sizing"][0]["limits"]["memory"] is None


def serving(**more):
    """8B in 16 bit on a card of 80 GB and 2 TB/s with one spare server, unless said."""
    return work("serving", **{"model": EIGHT, "precision": "bf16", **more})


def test_requests_at_once_find_a_place_by_poisson_or_as_measured():
    # prompts of 100,000 tokens leave room for few: (69 − 16) GB over 2 × 32 × 4096 × 2 bytes × (100,000 + 0.65 × 300)
    long = {"input_tokens": 100_000.0, "requests_per_day": 2000.0, "spare_servers": 0}
    found = need(serving(**long))
    places = 53e9 / (524_288 * 100_195)
    assert found.factors["batch"] == pytest.approx(places)
    poisson = found.factors["requests_at_once"]
    assert poisson == int(poisson) > 0
    assert found.limits["concurrency"] == 8 * math.ceil(poisson / places / 8)
    measured = need(serving(**long, concurrency_p99_to_mean=40.0))
    assert measured.factors["requests_at_once"] > 3 * poisson
    assert measured.limit == "concurrency"
    assert measured.required[0, 0] == measured.limits["concurrency"]
    assert measured.peak[0, 0] == pytest.approx(measured.factors["requests_at_once"] / places)


def test_with_a_measured_rate_the_places_of_a_gpu_are_not_known():
    found = need(work("serving", requests_per_day=1e6, measured_requests_per_s_per_gpu=1.0))
    assert "concurrency" not in found.limits


def test_prompts_and_answers_apart_take_whole_servers_and_spares_of_each():
    together, apart = (need(serving(requests_per_day=1e6, disaggregated=kind)) for kind in (False, True))
    assert apart.mean[0, 0] == pytest.approx(together.mean[0, 0])  # the GPU-seconds of a request are the same
    assert (together.reserve[0, 0], apart.reserve[0, 0]) == (8.0, 16.0)
    assert apart.required[0, 0] >= 32.0  # a server for prompts, one for answers, and a spare one of each
    assert apart.limits["redundancy"] == 32.0


def test_a_measured_rate_does_not_make_a_model_fit_one_gpu():
    rate = {"model": SEVENTY, "precision": "bf16"}  # 140 GB over 69 usable
    online = need(work("serving", **rate, measured_requests_per_s_per_gpu=1.0))
    offline = need(work("batch", **rate, measured_rate_per_gpu=1.0))
    assert (online.replica, offline.replica) == (4, 4)
    assert need(work("batch", measured_rate_per_gpu=1.0)).replica == 1  # no model, nothing to hold


def test_layers_that_see_the_whole_context_grow_with_the_model():
    # eight times the parameters: layers twice as many, half of them still windowed
    grown = scaled(ModelShape(**EIGHT, kv_heads=8, full_attention_layers=16, sliding_window=1024), 8.0)
    assert (grown.layers, grown.full_attention_layers) == (64, 32)
    assert scaled(ModelShape(**EIGHT), 8.0).full_attention_layers is None


def test_a_larger_model_makes_offline_work_slower_and_may_outgrow_a_gpu():
    doubling = {"kind": "table", "values": [1.0, 2.0]}
    one = work("batch", model={**EIGHT, "params_b": 30.0}, precision="bf16", driver="model_size", growth=doubling)
    found = evaluated(plan(), work=one, months=2, prices=card()).plans[0].requirements["box"]["work"]
    assert found.memory_by_month.tolist() == [1.0, 2.0]  # 60 and 120 GB of weights over 69 usable
    assert found.mean[0, 1] > 1.5 * found.mean[0, 0]
