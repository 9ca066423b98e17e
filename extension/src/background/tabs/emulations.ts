// Tabs that show their pages as on another device: applied again whenever the debugger comes back or a frame is new.

import type { EmulateParams } from "../../protocol/generated";
import type { Deadline } from "../deadline";
import { Signal } from "../signal";
import type { Store } from "../store";
import type { CdpSessions } from "./cdp_sessions";
import type { Debuggers } from "./debuggers";
import type { PlacePermissions } from "./place_permissions";

const KEY = "emulated_tabs";
const MAX_TOUCH_POINTS = 5;
/** Metres; without any the browser says that no place is known. */
const PLACE_ACCURACY = 10;

type Step = [method: string, params: object];

export class Emulations {
  /** Another tab is shown as on a device, or none any more. */
  readonly changed = new Signal<void>();
  readonly #tabs = new Map<number, EmulateParams>();

  constructor(
    private readonly debuggers: Pick<Debuggers, "attached" | "lost" | "ensure" | "keepers" | "sendTo">,
    private readonly sessions: Pick<CdpSessions, "open" | "spawned">,
    private readonly store: Pick<Store, "load" | "save">,
    private readonly places: Pick<PlacePermissions, "update">,
  ) {
    debuggers.keepers.push((tab) => this.#tabs.has(tab));
    debuggers.attached.on((tab) => void this.#apply(tab, null, this.#tabs.get(tab)).catch(() => undefined));
    sessions.spawned.on(({ tab, session, until }) => {
      if (this.#tabs.has(tab))
        until.push(this.#apply(tab, session, this.#tabs.get(tab)).catch(() => undefined));
    });
    debuggers.lost.on(({ tab, reason }) => {
      if (reason === "canceled_by_user") this.forget(tab);
      else if (this.#tabs.has(tab)) void debuggers.ensure(tab).catch(() => undefined);
    });
  }

  async load(): Promise<void> {
    for (const [tab, params] of await this.store.load<[number, EmulateParams][]>(KEY, []))
      this.#tabs.set(tab, params);
    await this.permitPlaces(true);
  }

  /** What a tab is shown as, in words; "" for what it is. */
  wordsOf(tab: number): string {
    return this.#tabs.get(tab)?.words ?? "";
  }

  /** Whether the debugger's network domain has to stay on for a tab. */
  slowsNetwork(tab: number): boolean {
    return Boolean(this.#tabs.get(tab)?.network);
  }

  /** Show a tab's pages so from now on; nothing given ends it. */
  async set(tab: number, params: EmulateParams, deadline: Deadline): Promise<void> {
    const before = this.#tabs.get(tab);
    const isNothing = Object.entries(params).every(
      ([name, value]) => name === "words" || value === null || value === undefined,
    );
    if (isNothing && !before) return;
    if (isNothing) this.#tabs.delete(tab);
    else this.#tabs.set(tab, params);
    this.#save();
    try {
      const opened = await this.sessions.open(tab, deadline);
      await deadline.race(Promise.all(opened.map(({ id }) => this.#apply(tab, id, params, before))));
      await deadline.race(this.permitPlaces());
    } catch (error) {
      if (before) this.#tabs.set(tab, before);
      else this.#tabs.delete(tab);
      this.#save();
      throw error;
    }
  }

  forget(tab: number): void {
    if (!this.#tabs.delete(tab)) return;
    this.#save();
    void this.permitPlaces();
  }

  /** A tab may have gone to another site: whether its pages may know the place, and no others, is set anew. */
  async permitPlaces(isFirst = false): Promise<void> {
    const placed = [...this.#tabs].filter(([, { geolocation }]) => geolocation).map(([tab]) => tab);
    await this.places.update(new Set(placed), isFirst);
  }

  async #apply(
    tab: number,
    session: string | null,
    params: EmulateParams | undefined,
    before: EmulateParams = {},
  ): Promise<void> {
    if (!params) return;
    const steps = [...ofTab(session, params, before), ...ofDocuments(params, before)];
    await Promise.all(
      steps.map(([method, values]) =>
        this.debuggers.sendTo(tab, session, method, values).catch((error) => {
          // A frame's session has no part in some of them.
          if (session === null) throw error;
        }),
      ),
    );
  }

  #save(): void {
    this.store.save(KEY, () => [...this.#tabs]);
    this.changed.emit();
  }
}

/** What is set for the tab as a whole. */
function ofTab(session: string | null, params: EmulateParams, before: EmulateParams): Step[] {
  if (session !== null) return [];
  const steps: Step[] = [];
  const { screen, touch, cpu, network, geolocation } = params;
  if (screen) {
    const { width, height, scale, mobile } = screen;
    const size = { width, height, screenWidth: width, screenHeight: height };
    steps.push([
      "Emulation.setDeviceMetricsOverride",
      { ...size, deviceScaleFactor: scale ?? 1, mobile: mobile ?? false },
    ]);
  } else if (before.screen) steps.push(["Emulation.clearDeviceMetricsOverride", {}]);
  if (touch || before.touch) {
    const enabled = touch === true;
    const points = enabled ? { maxTouchPoints: MAX_TOUCH_POINTS } : {};
    steps.push(["Emulation.setTouchEmulationEnabled", { enabled, ...points }]);
  }
  if (cpu || before.cpu) steps.push(["Emulation.setCPUThrottlingRate", { rate: cpu ?? 1 }]);
  if (network || before.network) {
    const {
      offline = false,
      latency_ms: latency = 0,
      download_rate: download = -1,
      upload_rate: upload = -1,
    } = network ?? {};
    steps.push(["Network.enable", {}]);
    steps.push([
      "Network.emulateNetworkConditions",
      { offline, latency, downloadThroughput: download, uploadThroughput: upload },
    ]);
  }
  if (geolocation)
    steps.push(["Emulation.setGeolocationOverride", { accuracy: PLACE_ACCURACY, ...geolocation }]);
  else if (before.geolocation) steps.push(["Emulation.clearGeolocationOverride", {}]);
  return steps;
}

/** What each document may ask for. */
function ofDocuments(params: EmulateParams, before: EmulateParams): Step[] {
  const steps: Step[] = [];
  const { locale, timezone, dark, reduced_motion: still, user_agent: agent } = params;
  if (locale || before.locale) steps.push(["Emulation.setLocaleOverride", locale ? { locale } : {}]);
  if (timezone || before.timezone)
    steps.push(["Emulation.setTimezoneOverride", { timezoneId: timezone ?? "" }]);
  const isStyled = (each: EmulateParams): boolean =>
    typeof each.dark === "boolean" || typeof each.reduced_motion === "boolean";
  if (isStyled(params) || isStyled(before)) {
    const features = [
      { name: "prefers-color-scheme", value: typeof dark === "boolean" ? (dark ? "dark" : "light") : "" },
      {
        name: "prefers-reduced-motion",
        value: typeof still === "boolean" ? (still ? "reduce" : "no-preference") : "",
      },
    ];
    steps.push(["Emulation.setEmulatedMedia", { features }]);
  }
  if (agent || locale || before.user_agent || before.locale) {
    const own = navigator.userAgent;
    const userAgent = (agent?.text ?? own).replaceAll("{chrome}", versionIn(own));
    steps.push([
      "Emulation.setUserAgentOverride",
      {
        userAgent,
        ...(locale && { acceptLanguage: locale }),
        ...(agent?.platform && { platform: agent.platform }),
        ...hintsOf(agent),
      },
    ]);
  }
  return steps;
}

interface Brands {
  brands: { brand: string; version: string }[];
  platform: string;
}

/** Client hints that fit the user agent: those of this browser on the device; none where it isn't Chrome. */
function hintsOf(agent: EmulateParams["user_agent"]): object {
  const known = (navigator as { userAgentData?: Brands }).userAgentData;
  if (!known || (agent && !agent.text.includes("{chrome}"))) return {};
  return {
    userAgentMetadata: {
      brands: known.brands,
      fullVersionList: known.brands,
      platform: agent?.os ?? known.platform,
      platformVersion: agent?.os_version ?? "",
      architecture: agent?.mobile ? "" : "x86",
      model: agent?.model ?? "",
      mobile: agent?.mobile ?? false,
    },
  };
}

function versionIn(userAgent: string): string {
  return /Chrome\/([\d.]+)/.exec(userAgent)?.[1] ?? "";
}
