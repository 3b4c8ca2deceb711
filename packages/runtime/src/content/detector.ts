/** Start and end in UTF-16 units. */
export type Range = readonly [start: number, end: number]

export interface Detector {
  readonly name: string
  readonly version: string
  find(text: string): Promise<readonly Range[]>
}
