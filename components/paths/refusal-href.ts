import type { Refusal } from '@/server/explanations/refusal-feed.sql.ts'

export function refusalHref({ kind, id }: Pick<Refusal, 'kind' | 'id'>): string {
  return kind === 'stop' ? `/stops/${id}` : `/decisions/${id}`
}
