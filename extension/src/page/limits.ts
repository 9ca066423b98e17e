// How long the page's script counts what an act has caused. All constants of time in the page's world stand here.

/** A timer that is longer than this isn't waited for, nor is what it does. Nothing without an end of its own is open longer. */
export const LONGEST_MS = 3_000;
/** A request without an answer for so long is a page's standing line to its server. */
export const STANDING_MS = 10_000;
/** What is set again and again by one cause for so long, and so often, is a clock. */
export const CLOCK_MS = 1_500;
export const CLOCK_TIMES = 3;
/** A clock of frames. */
export const CLOCK_FRAMES = 40;
/** An interval that changed nothing so many times in a row shows nothing. */
export const IDLE_TICKS = 3;
/** Streams and sockets: after a message the next one comes within this, or not because of the act. */
export const PAUSE_MS = 500;
/** The same for workers, which answer as a whole. */
export const ANSWER_PAUSE_MS = 50;
/** A worker that nobody sent anything may send something by itself. */
export const START_MS = 1_000;
/** What the browser renders, scrolls or observes because of code that ran comes within this. */
export const RENDERED_MS = 100;
/** A page that renders no frame is asked no more after this. */
export const NO_FRAME_MS = 60;
/** After the load, scripts that load further scripts have stopped once none came for so long. */
export const SCRIPTS_MS = 200;
/** An interval so short may show what an act has left for it: one tick of it is waited for. */
export const TICK_MS = 300;
