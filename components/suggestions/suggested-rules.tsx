'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { DismissedRule } from '@/server/suggestions/dismissed-rules.sql.ts'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'
import type { SuggestedRule, Suggestions } from '@/server/suggestions/suggestions.ts'
import { RuleActions } from './rule-actions.tsx'
import { RuleRow } from './rule-row.tsx'
import { FoldedCard, RuleSections } from './rule-sections.tsx'
import { toggled } from './toggled.ts'
import { useSuggestionOptions } from './use-suggestions.ts'

export function SuggestedRules({
  place,
  found,
}: {
  readonly place: LearnPlace
  readonly found: Suggestions
}) {
  const { sample, rules, refused, dismissed } = found
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const open = rules.filter(({ state }) => state === 'open')
  const chosen = open.filter(({ id }) => marked.has(id))
  const [first] = open
  return (
    <>
      <div className="flex max-w-[60rem] flex-col gap-3 p-4 max-sm:p-2">
        {sample === null ? null : (
          <RuleSections {...{ place, sample, rules }}>
            {(rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                choice={
                  rule.state === 'taken'
                    ? null
                    : {
                        isChosen: marked.has(rule.id),
                        onToggle: () => setMarked(toggled(marked, rule.id)),
                      }
                }
              >
                <RuleActions {...{ place, rule }} isFirst={rule === first && chosen.length === 0} />
              </RuleRow>
            )}
          </RuleSections>
        )}
        {refused.length === 0 ? null : (
          <FoldedCard
            title="Not kept"
            count={refused.length}
            aside="they would have denied too many good sessions: check whether those were good"
          >
            {refused.map((rule) => (
              <RuleRow key={rule.id} rule={rule} />
            ))}
          </FoldedCard>
        )}
        {dismissed.length === 0 ? null : (
          <FoldedCard
            title="Dismissed"
            count={dismissed.length}
            aside="searches leave them out, in all environments"
          >
            {dismissed.map((rule) => (
              <Dismissed key={rule.id} place={place} rule={rule} />
            ))}
          </FoldedCard>
        )}
      </div>
      {chosen.length === 0 ? null : (
        <TakeChosen place={place} chosen={chosen} onClear={() => setMarked(new Set())} />
      )}
    </>
  )
}

function TakeChosen({
  place,
  chosen,
  onClear,
}: {
  readonly place: LearnPlace
  readonly chosen: readonly SuggestedRule[]
  readonly onClear: () => void
}) {
  const trpc = useTRPC()
  const right = useRight('editor')
  const take = useMutation(
    trpc.suggestions.take.mutationOptions({ ...useSuggestionOptions(), onSuccess: onClear }),
  )
  const ids = chosen.map(({ id }) => id)
  const button = { ...right, disabled: take.isPending }
  return (
    <footer className="sticky bottom-14 z-10 flex flex-wrap items-center gap-2 border-border border-t bg-surface px-4 py-2 sm:bottom-0">
      <ReasonedButton
        {...button}
        variant="primary"
        onClick={() => take.mutate({ ...place, ids, mode: 'shadow' })}
      >
        Add {ids.length} to draft in shadow
      </ReasonedButton>
      <ReasonedButton {...button} onClick={() => take.mutate({ ...place, ids, mode: 'enforce' })}>
        Add {ids.length} enforced
      </ReasonedButton>
      <Button variant="quiet" onClick={onClear}>
        Clear
      </Button>
    </footer>
  )
}

function Dismissed({ place, rule }: { readonly place: LearnPlace; readonly rule: DismissedRule }) {
  const { id, sentence, reason, by, at } = rule
  const trpc = useTRPC()
  const right = useRight('editor')
  const restore = useMutation(
    trpc.suggestions.restore.mutationOptions({
      ...useSuggestionOptions(),
      onSuccess: () => toast('Restored. If the rule is not listed, search again.'),
    }),
  )
  return (
    <article className="flex flex-col items-start gap-1.5 border-border border-b px-3 py-2.5 last:border-b-0">
      <h3 className="break-words font-medium">
        <Words text={`${sentence}.`} />
      </h3>
      <p className="break-words">{reason}</p>
      <p className="text-small text-text-2">
        Dismissed by {by}, <Timestamp at={at} />
      </p>
      <ReasonedButton
        {...right}
        disabled={restore.isPending}
        onClick={() => restore.mutate({ ...place, id })}
      >
        Restore
      </ReasonedButton>
    </article>
  )
}
