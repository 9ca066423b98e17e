"""What a skill is: typed inputs and outputs, steps with locators and checks, origins, secrets, a prompt."""

from __future__ import annotations

from skillbook.skill.model.spec import SkillSpec, the_item
from skillbook.skill.model.spec_base import (
    RESERVED_INPUTS,
    TYPES,
    InputType,
    OutputType,
    SkillInput,
    SkillModel,
    SkillOutput,
    check_selector,
    has_type,
    inputs_of_text,
)
from skillbook.skill.model.spec_steps import (
    EXTRACT,
    FACTS,
    FOR_EACH,
    RUN_SKILL,
    STEP_COMMANDS,
    Check,
    Extract,
    Loop,
    Send,
    SkillStep,
    Start,
    StepTarget,
    SubSkill,
    in_order,
)

__all__ = [
    "EXTRACT",
    "FACTS",
    "FOR_EACH",
    "RESERVED_INPUTS",
    "RUN_SKILL",
    "STEP_COMMANDS",
    "TYPES",
    "Check",
    "Extract",
    "InputType",
    "Loop",
    "OutputType",
    "Send",
    "SkillInput",
    "SkillModel",
    "SkillOutput",
    "SkillSpec",
    "SkillStep",
    "Start",
    "StepTarget",
    "SubSkill",
    "check_selector",
    "has_type",
    "in_order",
    "inputs_of_text",
    "the_item",
]
