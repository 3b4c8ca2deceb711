import { configPath } from '@/components/paths/config-path.ts'
import { findPagePath } from '@/components/paths/id-path.ts'
import { viewPath } from '@/components/saved-views/view-query.ts'
import type { IdPlace } from '@/server/search/id-place.sql.ts'
import type { Hit } from '@/server/search/search.sql.ts'

function inSession(sessionId: string, seq: number | null): string {
  return `/sessions/${sessionId}${seq === null ? '?tab=annotations' : `?e=${seq}`}`
}

export function hitPath(hit: Hit): string {
  switch (hit.kind) {
    case 'session':
      return `/sessions/${hit.id}`
    case 'stop':
      return `/stops/${hit.id}`
    case 'decision':
      return `/decisions/${hit.id}`
    case 'config':
      return configPath(hit.ns, hit.key)
    case 'rule':
      return `${configPath(hit.ns, hit.key)}?${new URLSearchParams({ rule: hit.rule }).toString()}`
    case 'runtime':
      return `/runtimes/${hit.id}`
    case 'annotation':
      return inSession(hit.sessionId, hit.seq)
    case 'view':
      return viewPath(hit)
    default:
      return hit satisfies never
  }
}

const OF_CONFIG = { config: '', draft: '/edit', version: '/versions' } as const

export function placePath(place: IdPlace): string {
  const { kind, id, ns = '', key = '', sessionId = '', seq = null } = place
  switch (kind) {
    case 'config':
    case 'draft':
    case 'version':
      return `${configPath(ns, key)}${OF_CONFIG[kind]}`
    case 'event':
    case 'annotation':
      return inSession(sessionId, seq)
    case 'view':
      return viewPath({ id, list: place.list ?? '', query: place.query ?? '' })
    case 'approval':
      return `/call-approvals?call=${id}`
    case 'alert':
      return '/alerts'
    case 'key':
      return '/settings/keys'
    default:
      // Ids of other kinds determine their page.
      return findPagePath(id) ?? '/search'
  }
}
