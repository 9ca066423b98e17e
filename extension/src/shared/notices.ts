// What a kernel reports to the side panel by itself, as one type.

import type { NoticeName, Notices } from "../protocol/generated";

export type Notice = { [N in NoticeName]: { notice: N; data: Notices[N] } }[NoticeName];
