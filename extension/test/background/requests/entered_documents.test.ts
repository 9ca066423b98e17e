import { describe, expect, it } from "vitest";
import { EnteredDocuments } from "../../../src/background/requests/entered_documents";

const TAB = 7;

function makeDocuments(): EnteredDocuments {
  return new EnteredDocuments(async () => ({ targetId: "main", url: "https://a.test/here" }));
}

function asks(documents: EnteredDocuments, frameId: string, requestId: string, url: string, after?: string) {
  const request = { url, method: "GET", headers: {} };
  const redirected = after === undefined ? {} : { redirectedRequestId: after };
  return documents.entered(TAB, { requestId, frameId, resourceType: "Document", request, ...redirected });
}

function goes(documents: EnteredDocuments, frameId: string, url: string, reason: string): void {
  const params = { frameId, url, reason, disposition: "currentTab" };
  documents.take({ tab: TAB, session: null, method: "Page.frameRequestedNavigation", params });
}

describe("a document of another origin", () => {
  it("is one that a redirect leads to, hop by hop, in any frame", async () => {
    const documents = makeDocuments();
    expect(await asks(documents, "main", "r1", "https://a.test/to")).toBeNull();
    expect(await asks(documents, "main", "r2", "https://a.test/again", "r1")).toBeNull();
    expect(await asks(documents, "main", "r3", "https://b.test/", "r2")).toEqual({
      redirected_from: "https://a.test",
    });
    expect(await asks(documents, "child", "r4", "https://a.test/frame")).toBeNull();
    expect(await asks(documents, "child", "r5", "https://c.test/", "r4")).toEqual({
      redirected_from: "https://a.test",
    });
    expect(await asks(documents, "main", "r9", "https://a.test/", "unknown")).toEqual({
      redirected_from: null,
    });
  });

  it("is one that the page itself goes to in its tab, and not a link's", async () => {
    const documents = makeDocuments();
    for (const reason of ["scriptInitiated", "metaTagRefresh", "formSubmissionGet", "httpHeaderRefresh"]) {
      goes(documents, "main", "https://b.test/#part", reason);
      expect(await asks(documents, "main", "r1", "https://b.test/")).toEqual({ redirected_from: null });
    }
    goes(documents, "main", "https://b.test/", "anchorClick");
    expect(await asks(documents, "main", "r2", "https://b.test/")).toBeNull();
    goes(documents, "main", "https://a.test/next", "scriptInitiated");
    expect(await asks(documents, "main", "r3", "https://a.test/next")).toBeNull();
    goes(documents, "child", "https://b.test/", "scriptInitiated");
    expect(await asks(documents, "child", "r4", "https://b.test/")).toBeNull();
  });
});
