import { permilleText } from './permille-text.ts'
import type { Reach } from './reach-fields.tsx'
import type { ReleaseTime } from './release-time.tsx'

interface Chosen {
  readonly time: Pick<ReleaseTime, 'isLater'>
  readonly reach: Reach
}

interface Said {
  readonly verb: 'Publish' | 'Promote'
  /** `v15`; null: the number is unknown. */
  readonly what: string | null
  readonly place: string
}

/** Names what is released, at the start of a sentence and in a line. `version`: null for the draft. */
export function nameContent(version: number | null) {
  return version === null
    ? ({ long: 'The draft', short: 'draft' } as const)
    : ({ long: `Version ${version}`, short: `v${version}` } as const)
}

export function releaseText({ time, reach }: Chosen, { verb, what, place }: Said): string {
  const version = what === null ? '' : ` ${what}`
  if (reach.kind === 'staged') {
    return `Stage${version} for ${permilleText(reach.terms.share)} in ${place}`
  }
  return time.isLater ? `Schedule${version} for ${place}` : `${verb}${version} to ${place}`
}
