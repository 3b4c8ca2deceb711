import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { type AttentionItem, attentionItems } from './attention-items.ts'
import { loadRecentReleases, loadWatch, MOST_OF_KIND, type Watch } from './overview.sql.ts'

const MOST_ITEMS = 7
/** Releases that may have created the revision of a runtime. */
const MOST_RELEASES = 10

/** Smaller first: a record that cannot be trusted, then what agents got through, were denied, or still wait for. */
const RANK = {
  audit_broken: 0,
  dead_letters: 1,
  event_log_behind: 2,
  bypasses_rose: 3,
  runtime_rejected: 4,
  runtime_behind: 5,
  denials_rose: 6,
  rollout_rolled_back: 7,
  session_diverged: 8,
  session_breached: 9,
  calls_unevaluated: 10,
  session_error: 11,
  session_blocked: 12,
  sessions_lost: 13,
  schedule_refused: 14,
  draft_behind: 15,
  event_log_unsafe: 16,
  alert_firing: 17,
  key_expiring: 18,
} as const satisfies Record<AttentionItem['kind'], number>

function ranked(items: readonly AttentionItem[]): readonly AttentionItem[] {
  const counts = new Map<string, number>()
  return items
    .toSorted((a, b) => RANK[a.kind] - RANK[b.kind] || b.at - a.at)
    .filter(({ kind }) => {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return count <= MOST_OF_KIND
    })
}

/** Many items of one kind do not hide another: each kind gets its first item before any gets a second. `items`: worst first. */
function worst(items: readonly AttentionItem[]): readonly AttentionItem[] {
  const places = new Map<string, number>()
  const turns = items.map((item, place) => {
    const turn = places.get(item.kind) ?? 0
    places.set(item.kind, turn + 1)
    return { item, place, turn }
  })
  const kept = turns.toSorted((a, b) => a.turn - b.turn || a.place - b.place).slice(0, MOST_ITEMS)
  return kept.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
}

export interface Attention {
  readonly items: readonly AttentionItem[]
  readonly more: number
  /** A kind has more items than were read, so `more` is a lower bound. */
  readonly isMore: boolean
  /** Number of runtimes that rejected or lack what they were sent, including omitted ones. */
  readonly runtimes: number
  readonly watch: Watch
}

export async function loadAttention(
  scope: ProjectScope,
  {
    environment,
    all = false,
  }: { readonly environment?: string | undefined; readonly all?: boolean | undefined },
): Promise<Attention> {
  const [releases, watch] = await Promise.all([
    loadRecentReleases(scope, { environment, most: MOST_RELEASES }),
    loadWatch(scope),
  ])
  const found = await attentionItems(scope, { environment, now: Date.now() }, releases)
  const every = ranked(found)
  const items = all ? every : worst(every)
  return {
    items,
    more: every.length - items.length,
    isMore: every.length < found.length,
    runtimes: found.filter(({ kind }) => kind.startsWith('runtime_')).length,
    watch,
  }
}
