export interface LabelProps {
  readonly sessionId: string
  /** Sequence number of the decision; 0: the session. */
  readonly seq: number
}

export function nameLabeled(seq: number): string {
  return seq === 0 ? 'the session' : `#${seq}`
}
