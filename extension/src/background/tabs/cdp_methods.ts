// Every command of the DevTools protocol that the extension may send, and why; it can send no others.
//
// None reads cookies or storage, or turns a protection of the browser off.

import type { DebuggerApi } from "./debuggers";

export const METHODS: Readonly<Record<string, string>> = {
  "Accessibility.getFullAXTree": "the second engine reads roles and names",
  "Accessibility.getPartialAXTree": "roles and names that ElementInternals give an element",
  "DOM.describeNode": "the frame or the shadow root of an element",
  "DOM.getFrameOwner": "the element that a frame is in",
  "DOM.resolveNode": "an element of the second engine as an object of a script",
  "DOM.setFileInputFiles": "uploads: files that a person allowed",
  "DOMDebugger.getEventListeners": "elements that only a listener makes clickable",
  "DOMSnapshot.captureSnapshot": "the second engine reads a document",
  "Emulation.clearDeviceMetricsOverride": "a page is shown as on this screen again",
  "Emulation.clearGeolocationOverride": "the same of its place",
  "Emulation.setCPUThrottlingRate": "a page as on a slower device",
  "Emulation.setDeviceMetricsOverride": "a page as on another screen",
  "Emulation.setEmulatedMedia": "dark colours and less motion, as a person may prefer",
  "Emulation.setGeolocationOverride": "a page as at another place",
  "Emulation.setLocaleOverride": "a page as in another language",
  "Emulation.setTimezoneOverride": "a page as at another time of day",
  "Emulation.setTouchEmulationEnabled": "a page as on a touch screen",
  "Emulation.setUserAgentOverride": "a page as in another browser, with its client hints",
  "Emulation.setFocusEmulationEnabled": "a tab in the background takes keys",
  "Fetch.continueRequest":
    "a request that was allowed goes, with the headers that a person adds for its origin",
  "Fetch.continueResponse": "a recorded answer reaches the page",
  "Fetch.disable": "requests are let go again",
  "Fetch.enable": "requests wait until they are decided on",
  "Fetch.failRequest": "a request is blocked",
  "Fetch.fulfillRequest": "a blocked document leaves its page as it is; a cassette or a mock answers",
  "Fetch.getResponseBody": "a cassette records an answer",
  "Input.dispatchDragEvent": "trusted drags",
  "Input.dispatchKeyEvent": "trusted keys",
  "Input.dispatchMouseEvent": "trusted clicks",
  "Input.insertText": "trusted text",
  "Input.setInterceptDrags": "a drag's data go to the drop",
  "Log.enable": "the page's console, if it is read",
  "Network.disable": "the tab's traffic is reported no more",
  "Network.emulateNetworkConditions": "a page as by a slower connection, or by none",
  "Network.enable": "what a held or watched tab has under way; its WebSocket messages are counted",
  "Network.getResponseBody": "answers that a watched page got",
  "Network.getRequestPostData": "the body of a request that waits",
  "Network.setBypassServiceWorker": "nothing is sent in a held page's name unseen",
  "Network.setCacheDisabled": "a cassette records what the network says",
  "Page.addScriptToEvaluateOnNewDocument": "new documents let no input through before their guard listens",
  "Page.captureScreenshot": "screenshots",
  "Page.captureSnapshot": "a page as an archive",
  "Page.createIsolatedWorld": "the content script where the browser doesn't put it, apart from the page",
  "Page.enable": "dialogs and navigations are reported",
  "Page.getFrameTree": "which frames a session has",
  "Page.getLayoutMetrics": "the size of a full-page screenshot",
  "Page.getNavigationHistory": "whether there is a page to go back to",
  "Page.handleJavaScriptDialog": "a dialog is answered",
  "Page.navigate": "goto",
  "Page.navigateToHistoryEntry": "back and forward",
  "Page.printToPDF": "a page as PDF",
  "Page.setInterceptFileChooserDialog": "uploads by a button that opens a dialog",
  "Page.startScreencast": "a page in the background draws what is photographed",
  "Page.stopScreencast": "the same, ended",
  "Performance.enable": "a page's nodes, heap and layouts are counted",
  "Performance.getMetrics": "the same, read",
  "Runtime.addBinding": "a script of ours calls the worker",
  "Runtime.callFunctionOn": "what an action does in the page, on one element",
  "Runtime.disable": "script contexts are reported no more",
  "Runtime.enable": "script contexts are reported; the console, if it is read",
  "Runtime.evaluate": "the content script's calls, and `evaluate` if it was allowed at launch",
  "Runtime.getProperties": "listeners and elements of a result",
  "Runtime.releaseObject": "an object of the page is let go",
  "Runtime.releaseObjectGroup": "objects of the page are let go",
  "Runtime.runIfWaitingForDebugger": "a frame or worker begins once it is held",
  "Target.getTargetInfo": "which frame a tab's main one is, where a page goes on by itself",
  "Target.setAutoAttach": "frames and workers in other processes are held and read as well",
  "WebMCP.cancelInvocation": "a page's tool is called off",
  "WebMCP.disable": "what happens to the page's tools is reported no more",
  "WebMCP.enable": "a page's tool reports its answer",
  "WebMCP.invokeTool": "a tool is called that the page declares",
};

/** The browser's debugger, which takes no other commands than these. */
export function onlyListed(api: DebuggerApi): DebuggerApi {
  return {
    attach: api.attach.bind(api),
    detach: api.detach.bind(api),
    sendCommand: (target, method, params) => {
      if (!Object.hasOwn(METHODS, method))
        return Promise.reject(new Error(`the extension may not send ${method} to the debugger`));
      return api.sendCommand(target, method, params);
    },
  } as DebuggerApi;
}
