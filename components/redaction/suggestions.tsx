'use client'
// The rule is added to the draft and takes effect once the draft is published.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useAccess } from '@/components/configs/editor/use-access.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import type { LikelySecret } from './likely-secrets.ts'
import { withRule } from './with-rule.ts'

function useAddToDraft({ ns, key, draft, base }: Workbench) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const router = useRouter()
  const save = useMutation(trpc.drafts.save.mutationOptions())
  const text = draft?.text ?? base?.text ?? null
  const add = async (keys: readonly string[]): Promise<void> => {
    const next = text === null ? null : withRule(text, keys)
    if (next === null)
      throw new Error('No rule can be added, because the draft is not a JSON object.')
    const seen = draft === null ? null : { id: draft.id, revision: draft.revision }
    const saved = await save.mutateAsync({
      ns,
      key,
      text: next,
      seen,
      baseVersion: draft === null ? (base?.number ?? null) : null,
    })
    await client.invalidateQueries({ queryKey: trpc.drafts.open.queryKey({ ns, key }) })
    if (!saved.ok) throw new Error('Another user changed the draft. Try again.')
    router.push(`${configPath(ns, key)}/edit#part-redaction`)
  }
  return useMutation({ mutationFn: add })
}

export function Suggestions({
  found,
  workbench,
}: {
  readonly found: readonly LikelySecret[]
  readonly workbench: Workbench
}) {
  const adding = useAddToDraft(workbench)
  const { readOnly, why } = useAccess(workbench)
  const names = [...new Set(found.flatMap(({ property }) => (property === null ? [] : [property])))]
  return (
    <Card>
      <CardHeader
        title="Would be stored, but looks like a secret"
        aside="detects known formats and names only"
      />
      <ul className="flex flex-col gap-1 px-3 py-2">
        {found.map(({ pointer, why: reason }) => (
          <li key={pointer} className="flex items-baseline gap-1.5">
            <StatusIcon status="warning" />
            <span>
              <code className="break-all">{pointer === '' ? 'the whole payload' : pointer}</code>{' '}
              {reason}
            </span>
          </li>
        ))}
      </ul>
      <footer className="flex flex-wrap items-center gap-2 border-border border-t px-3 py-2">
        {names.length === 0 ? (
          <p className="text-text-2">
            It has no property name, so no rule by name can hide it. A rule by text would put the
            secret into the config. Change the tool so that it does not return it.
          </p>
        ) : (
          <>
            <Button
              disabled={readOnly || adding.isPending}
              title={why ?? undefined}
              onClick={() => adding.mutate(names)}
            >
              Add a rule to the draft
            </Button>
            <span className="text-text-2">
              hides the values under{' '}
              {names.map((name, index) => (
                <span key={name}>
                  {index > 0 && ', '}
                  <code>{name}</code>
                </span>
              ))}
              , all of them
            </span>
          </>
        )}
        {why !== null && <span className="text-small text-text-2">{why}</span>}
        <ErrorLine>{adding.error?.message}</ErrorLine>
      </footer>
    </Card>
  )
}
