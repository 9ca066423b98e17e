/** A result that is JSON text already: large ones are not parsed and written again on their way. */
export class RawJson<T> {
  /** Only a type: what the text would be once parsed. */
  declare readonly value: T;

  constructor(readonly text: string) {}
}
