// Versions that are on their way to an environment: in a staged rollout, or waiting for approval.
import { configPath } from '@/components/paths/config-path.ts'
import { permilleText } from '@/components/releases/permille-text.ts'
import type { Status } from '@/components/ui/status-badge.tsx'
import type { ListedConfig } from '@/server/configs/configs.ts'

export interface Coming {
  readonly id: string
  readonly status: Status
  /** For the line of a list. */
  readonly brief: string
  readonly sentence: string
  readonly href: string
  /** Label of the link. */
  readonly action: string
}

type Config = Pick<ListedConfig, 'ns' | 'key' | 'staged' | 'waiting'>

export function listComing({ ns, key, staged, waiting }: Config): readonly Coming[] {
  return [
    ...staged.map(({ environment, version, share }): Coming => {
      const where = `${environment}: ${permilleText(share)} of new sessions`
      return {
        id: `staged ${environment}`,
        status: 'staged',
        brief: `v${version} staged, ${permilleText(share)} in ${environment}`,
        sentence: `Version ${version} is in a staged rollout to ${where}`,
        href: `${configPath(ns, key)}/staged-rollout`,
        action: 'See rollout',
      }
    }),
    ...waiting.map(({ environment, version, isRefused }): Coming => {
      const [long, short] =
        version === null ? ['The draft', 'draft'] : [`Version ${version}`, `v${version}`]
      const known = {
        id: `waiting ${environment}`,
        href: `/releases?approval=${encodeURIComponent(`${environment}:${ns}/${key}`)}`,
        action: 'See request',
      }
      return isRefused
        ? {
            ...known,
            status: 'rejected',
            brief: `${short} refused for ${environment}`,
            sentence: `${long} was refused for ${environment}`,
          }
        : {
            ...known,
            status: 'incomplete',
            brief: `${short} waits for approval`,
            sentence: `${long} waits for approval to be released to ${environment}`,
          }
    }),
  ]
}
