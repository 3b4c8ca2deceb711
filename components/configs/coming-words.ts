// Versions that are on their way to an environment: in a staged rollout, requested, or planned.
import { configPath } from '@/components/paths/config-path.ts'
import { permilleText } from '@/components/releases/permille-text.ts'
import { releaseHref } from '@/components/releases/release-href.ts'
import { nameContent } from '@/components/releases/release-text.ts'
import type { Status } from '@/components/ui/status-badge.tsx'
import type { ListedConfig } from '@/server/configs/configs.ts'

export interface Coming {
  readonly id: string
  readonly status: Status
  /** For the line of a list. */
  readonly brief: string
  readonly sentence: string
  /** Time at the end of the sentence, epoch ms; absent: there is none. */
  readonly at?: number
  readonly href: string
  /** Label of the link. */
  readonly action: string
}

type Config = Pick<ListedConfig, 'ns' | 'key' | 'staged' | 'waiting' | 'plans'>

function describeRequest(
  { ns, key, plans }: Config,
  { environment, version, state }: Config['waiting'][number],
): Coming {
  const isPlanned = plans.some(
    (plan) =>
      plan.environment === environment && plan.version === version && plan.state === 'pending',
  )
  const { long, short } = nameContent(version)
  const known = {
    id: `waiting ${environment}`,
    href: `/releases?approval=${encodeURIComponent(`${environment}:${ns}/${key}`)}`,
    action: 'See request',
  }
  switch (state) {
    case 'refused':
      return {
        ...known,
        status: 'rejected',
        brief: `${short} refused for ${environment}`,
        sentence: `${long} was refused for ${environment}`,
      }
    case 'approved': {
      const approved = {
        ...known,
        status: 'passed',
        brief: `${short} approved for ${environment}`,
      } as const
      const sentence = `${long} is approved for ${environment}`
      return isPlanned
        ? { ...approved, sentence: `${sentence}, and its plan releases it` }
        : {
            ...approved,
            sentence: `${sentence} and can be released`,
            href: releaseHref({ ns, key, environment, version }),
            action: 'Release now',
          }
    }
    default:
      return {
        ...known,
        status: 'incomplete',
        brief: `${short} waits for approval`,
        sentence: `${long} waits for approval to be released to ${environment}`,
      }
  }
}

const PLAN_WORDS = {
  pending: { status: 'scheduled', is: 'is scheduled', short: 'scheduled' },
  held: { status: 'held', is: 'is held; it was scheduled', short: 'held' },
  refused: { status: 'rejected', is: 'was refused when it was due', short: 'refused' },
} as const

function describePlan({ environment, version, state, dueAt }: Config['plans'][number]): Coming {
  const { long, short } = nameContent(version)
  const words = PLAN_WORDS[state]
  return {
    id: `plan ${environment} ${state} ${dueAt}`,
    status: words.status,
    brief: `${short} ${words.short} for ${environment}`,
    sentence: `${long} ${words.is} for ${environment},`,
    at: dueAt,
    href: '/releases',
    action: 'See rollouts',
  }
}

export function listComing(config: Config): readonly Coming[] {
  const { ns, key, staged, waiting, plans } = config
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
    ...waiting.map((request) => describeRequest(config, request)),
    ...plans.map(describePlan),
  ]
}
