import { configPath } from '@/components/paths/config-path.ts'
import { moveText } from './moves.ts'

export interface RequestedSubject {
  readonly ns: string
  readonly key: string
  readonly environment: string
  /** Null: the draft. */
  readonly version: number | null
}

/** Address of the dialog that makes the release. */
export function releaseHref({ ns, key, environment, version }: RequestedSubject): string {
  const path = configPath(ns, key)
  return version === null
    ? `${path}/edit?publish=${encodeURIComponent(environment)}`
    : `${path}/versions?move=${moveText({ kind: 'promote', environment, version })}`
}
