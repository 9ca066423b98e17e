"""Every error skillbook raises, as one tree.

SkillbookError
├── ConfigError                 a setting that can't be used
├── StorageError            a file or folder can't be written, or the disk is full
├── LaunchError             a browser can't be started
│   ├── BrowserNotFound         no usable Chromium on this machine
│   ├── ExtensionNotBuilt       the extension's built folder is missing
│   ├── LaunchFailed            Chromium started and ended, or never dialled in
│   └── ProfileInUse            another browser has the profile open
├── BridgeError             something is wrong with the connection to the browser
│   ├── PortInUse               the wanted port belongs to another process
│   ├── ServeRunning            `skillbook serve` runs already for this user
│   ├── PairingFailed           wrong, used or expired pairing code
│   ├── AuthFailed              wrong token, wrong Origin, wrong Host
│   ├── VersionMismatch         extension and kernel can't talk to each other
│   ├── ProtocolError           a malformed, oversized or unknown message
│   ├── NotConnected            no browser is connected
│   │   └── BrowserEnded            the browser that was started here has ended
│   └── ConnectionLost          the connection dropped while a command was pending
├── CommandError                the browser refused or failed a command
│   ├── UnknownCommand          no such command on the other side
│   ├── InvalidParams           the command's parameters don't validate
│   ├── CommandTimeout          the deadline passed
│   ├── PageClosed              the tab is gone
│   ├── PageNavigated           the document went away during the command
│   ├── PageUnreachable         the URL didn't load, scripts can't run there, or input to it is lost
│   ├── UnknownRef              a ref that was never given out
│   ├── StaleRef                a ref whose element or document is gone
│   ├── NotActionable           hidden, disabled, moving, or covered by something else
│   ├── DebuggerUnavailable     trusted input isn't available on this tab
│   ├── DialogBlocked           a JavaScript dialog holds the page
│   ├── EvaluateRefused         evaluate wasn't allowed at launch or connect
│   ├── Stopped                 the user pressed stop during the command
│   └── InternalError           the other side failed in a way it didn't foresee
├── SelectorError           a role selector that doesn't lead to one element
│   ├── SelectorSyntaxError     the role selector can't be parsed
│   ├── NoMatch                 nothing on the page matches
│   └── AmbiguousMatch          more than one element matches
├── PolicyError             the policy forbids it
│   ├── NotAllowed              the policy forbids this command here
│   ├── OriginChanged           the page went to another origin before the command could be carried out
│   └── ApprovalRequired        a person has to approve this command first
├── ThreadError                 a blocking call on the thread that must not block
├── AgentError              an agent's run can't continue
│   ├── ModelNotConfigured      no model given and none in the settings
│   ├── ModelUnreachable        the model's server can't be reached or refuses
│   ├── ApprovalNeeded          a graph's call asks, and nobody is there to be asked
│   ├── ApprovalPending         a call waits for a decision
│   ├── NothingPending          a decision was given and no call waits
│   ├── GoalBlocked             neither skills nor exploration reach the goal without a model
│   ├── BudgetExceeded          steps, money or tokens are used up
│   ├── InvalidCell             a cell's code can't be run as it is
│   ├── SandboxMissing          the sandbox for cells isn't installed
│   └── ScriptMismatch          a scripted model has no answer that fits
├── SkillError              a skill can't be used in this way
│   ├── SkillNotFound           no skill of that name
│   ├── InvalidSkill            a skill file that can't be read
│   ├── InvalidSkillName        a name that can't be a skill's
│   ├── SkillNotApproved        a skill from elsewhere that nobody has approved in this version
│   ├── CannotBind              a built-in skill is not sure which controls of a page it means
│   ├── MissingInput            an input without value
│   ├── InvalidInput            an input that the skill doesn't have, or of another type
│   └── ReplayFailed            a step found no single sure target, or its check failed
├── ClusterError            a skill can't be mapped on these machines
│   ├── HostUnfit               a host can't run rows
│   ├── ClusterLost             the scheduler, or whoever grants claims, doesn't answer
│   └── RowNotGranted           a row was claimed before, or its map was stopped
├── WorkflowError           a workflow can't be used in this way
│   ├── WorkflowNotFound        no workflow of that name, or a file that defines none
│   └── InvalidWorkflow         a function that can't be one
├── CassetteError           a cassette can't be used in this way
│   ├── CassetteNotFound        there is none to replay, or it can't be read
│   └── CassetteMismatch        what happens isn't what was recorded
├── EvalError               an evaluation can't be made or compared
│   └── InvalidTask             a task that can't be read, or can't be carried out in this way
└── ExtractionError             nothing to extract, or fields that don't fit
    └── IncompleteRead          a file for all rows was asked of a frame that hasn't all
"""

from __future__ import annotations

from skillbook.errors.command_errors import (
    DOCS_URL,
    AmbiguousMatch,
    ApprovalRequired,
    AuthFailed,
    BridgeError,
    BrowserEnded,
    BrowserNotFound,
    CommandError,
    CommandTimeout,
    ConfigError,
    ConnectionLost,
    DebuggerUnavailable,
    DialogBlocked,
    EvaluateRefused,
    ExtensionNotBuilt,
    InternalError,
    InvalidParams,
    LaunchError,
    LaunchFailed,
    NoMatch,
    NotActionable,
    NotAllowed,
    NotConnected,
    OriginChanged,
    PageClosed,
    PageNavigated,
    PageUnreachable,
    PairingFailed,
    PolicyError,
    PortInUse,
    ProfileInUse,
    ProtocolError,
    SelectorError,
    SelectorSyntaxError,
    ServeRunning,
    SkillbookError,
    StaleRef,
    Stopped,
    StorageError,
    ThreadError,
    UnknownCommand,
    UnknownRef,
    VersionMismatch,
    docs_page,
    error_classes,
    error_from_wire,
)
from skillbook.errors.work_errors import (
    AgentError,
    ApprovalNeeded,
    ApprovalPending,
    BudgetExceeded,
    CannotBind,
    CassetteError,
    CassetteMismatch,
    CassetteNotFound,
    ClusterError,
    ClusterLost,
    EvalError,
    ExtractionError,
    GoalBlocked,
    HostUnfit,
    IncompleteRead,
    InvalidCell,
    InvalidInput,
    InvalidSkill,
    InvalidSkillName,
    InvalidTask,
    InvalidWorkflow,
    MissingInput,
    ModelNotConfigured,
    ModelUnreachable,
    NothingPending,
    ReadInterrupted,
    ReplayFailed,
    RowNotGranted,
    RunInterrupted,
    SandboxMissing,
    ScriptMismatch,
    SkillError,
    SkillNotApproved,
    SkillNotFound,
    WorkflowError,
    WorkflowNotFound,
)

__all__ = [
    "DOCS_URL",
    "AgentError",
    "AmbiguousMatch",
    "ApprovalNeeded",
    "ApprovalPending",
    "ApprovalRequired",
    "AuthFailed",
    "BridgeError",
    "BrowserEnded",
    "BrowserNotFound",
    "BudgetExceeded",
    "CannotBind",
    "CassetteError",
    "CassetteMismatch",
    "CassetteNotFound",
    "ClusterError",
    "ClusterLost",
    "CommandError",
    "CommandTimeout",
    "ConfigError",
    "ConnectionLost",
    "DebuggerUnavailable",
    "DialogBlocked",
    "EvalError",
    "EvaluateRefused",
    "ExtensionNotBuilt",
    "ExtractionError",
    "GoalBlocked",
    "HostUnfit",
    "IncompleteRead",
    "InternalError",
    "InvalidCell",
    "InvalidInput",
    "InvalidParams",
    "InvalidSkill",
    "InvalidSkillName",
    "InvalidTask",
    "InvalidWorkflow",
    "LaunchError",
    "LaunchFailed",
    "MissingInput",
    "ModelNotConfigured",
    "ModelUnreachable",
    "NoMatch",
    "NotActionable",
    "NotAllowed",
    "NotConnected",
    "NothingPending",
    "OriginChanged",
    "PageClosed",
    "PageNavigated",
    "PageUnreachable",
    "PairingFailed",
    "PolicyError",
    "PortInUse",
    "ProfileInUse",
    "ProtocolError",
    "ReadInterrupted",
    "ReplayFailed",
    "RowNotGranted",
    "RunInterrupted",
    "SandboxMissing",
    "ScriptMismatch",
    "SelectorError",
    "SelectorSyntaxError",
    "ServeRunning",
    "SkillError",
    "SkillNotApproved",
    "SkillNotFound",
    "SkillbookError",
    "StaleRef",
    "Stopped",
    "StorageError",
    "ThreadError",
    "UnknownCommand",
    "UnknownRef",
    "VersionMismatch",
    "WorkflowError",
    "WorkflowNotFound",
    "docs_page",
    "error_classes",
    "error_from_wire",
]
