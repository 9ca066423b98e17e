// How long anything is waited for: all constants of time stand here, for the worker, the content scripts and the script in
// the page's world. docs/waiting.md names those that users notice. Most are the longest that something may take which ends
// by itself before; whoever needs another one looks for the one that fits first.

/** What nobody reports is looked at so often; what comes in small pieces is gathered for so long. */
export const POLL_MS = 50;
/** What the browser renders, observes or reports of code that just ran comes within this; so often a hidden tab renders. */
export const FRAME_MS = 100;
/**
 * What changes in several steps has come to its end when the next step is later than this: scripts, frames, a scroll, the
 * two presses of a double click. An interval so short may show what an act has left for it: one tick of it is waited for. A
 * command keeps back so much of its time to report how it went.
 */
export const TICK_MS = 300;
/** A page shows within this what input did to it; of a stream or socket the next message comes within it. */
export const SHOWN_MS = 500;
/**
 * A page that does anything at all does it within this; what is requested so soon after an act may be because of it. What
 * a page or a person does several times in a row comes again within this.
 */
export const ALIVE_MS = 1_000;
/** What is set again and again by one cause for so long is a clock; what is silent for so long is asked in another way. */
export const CLOCK_MS = 1_500;
/** And so often. */
export const CLOCK_TIMES = 3;
/** A clock of frames. */
export const CLOCK_FRAMES = 40;
/**
 * A timer that is longer than this isn't waited for, nor is what it does; what leaves a page for longer isn't leaving.
 * Nothing without an end of its own is open longer, as a block of the user's input that nobody lifts.
 */
export const LONGEST_MS = 3_000;
/** A document that comes, or a reading of one, has this. What a page asks over and over after an act for longer is its habit. */
export const DOCUMENT_MS = 5_000;
/** A request without an answer for so long is a page's standing line to its server; a kernel that doesn't answer is gone. */
export const STANDING_MS = 10_000;
/** A kernel that is absent for longer gives its tabs back; a panel that was opened for something asks for it before. */
export const ABSENT_MS = 30_000;
/** A debugger that nobody uses for so long is let go. */
export const IDLE_MS = 5 * 60_000;
/** A person may take so long. */
export const PERSON_MS = 15 * 60_000;
