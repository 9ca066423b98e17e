// Proofs of knowing the token, which itself never crosses the wire: HMAC-SHA256 over a role and both nonces.

export type Role = "kernel" | "extension";

const encoder = new TextEncoder();

/** 256 random bits as hex. */
export function makeNonce(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

export async function makeProof(
  token: string,
  role: Role,
  hello: string,
  challenge: string,
): Promise<string> {
  const key = await importKey(token, "sign");
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, payload(role, hello, challenge))));
}

/** Whether a proof is right, in time that doesn't depend on where it is wrong. */
export async function checkProof(
  given: string,
  token: string,
  role: Role,
  hello: string,
  challenge: string,
): Promise<boolean> {
  const bytes = fromHex(given);
  if (!bytes) return false;
  return crypto.subtle.verify(
    "HMAC",
    await importKey(token, "verify"),
    bytes,
    payload(role, hello, challenge),
  );
}

function payload(role: Role, hello: string, challenge: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${role}:${hello}:${challenge}`);
}

function importKey(token: string, use: "sign" | "verify"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", encoder.encode(token), { name: "HMAC", hash: "SHA-256" }, false, [
    use,
  ]);
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^([0-9a-f]{2})+$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
