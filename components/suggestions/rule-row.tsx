'use client'

import { countText, plural } from '@signalbox/core/analysis'
import type { ReactNode } from 'react'
import { RuleJson } from '@/components/configs/rule-json.tsx'
import { SessionLinks } from '@/components/sessions/session-links.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { FoundRule } from '@/server/suggestions/learn-runs.sql.ts'
import { isCheck } from './is-check.ts'

const MOST_GOOD = 10
/** The evidence has their number; these are examples. */
const MOST_BAD = 3

export interface RuleChoice {
  readonly isChosen: boolean
  readonly onToggle: () => void
}

/** `choice` null: it cannot be chosen together with others. */
export function RuleRow({
  rule,
  choice = null,
  children,
}: {
  readonly rule: FoundRule
  readonly choice?: RuleChoice | null
  readonly children?: ReactNode
}) {
  const sentence = <Words text={`${rule.sentence}.`} />
  return (
    <article className="flex flex-col gap-1.5 border-border border-b px-3 py-2.5 last:border-b-0">
      <h3 className="break-words font-medium">
        {choice === null ? (
          sentence
        ) : (
          <Checkbox checked={choice.isChosen} onChange={choice.onToggle}>
            {sentence}
          </Checkbox>
        )}
      </h3>
      <div className={choice === null ? 'contents' : 'flex flex-col gap-1.5 pl-6'}>
        <p className="text-text-2">
          <Words text={rule.evidence} />
        </p>
        <Tests rule={rule} />
        <RuleJson title="Rule as JSON" rule={rule.placed.rule} />
        {children}
      </div>
    </article>
  )
}

function Tests({ rule }: { readonly rule: FoundRule }) {
  const { good, bad } = rule
  const refused = `would have been ${isCheck(rule) ? 'blocked' : 'denied'}`
  return (
    <>
      {good.sessions > 0 && good.denied === 0 ? (
        <p className="text-small text-text-2">
          {`Tested on ${plural(good.sessions, 'good session')}: none ${refused}.`}
        </p>
      ) : null}
      {good.denied > 0 ? (
        <p className="text-small">
          {`${countText(good.denied)} of ${plural(good.sessions, 'good session')} ${refused}: `}
          <SessionLinks ids={good.deniedSessions.slice(0, MOST_GOOD)} total={good.denied} />
        </p>
      ) : null}
      {bad.denied > 0 ? (
        <p className="text-small">
          {`${countText(bad.denied)} of ${plural(bad.sessions, 'bad session')} ${refused}: `}
          <SessionLinks ids={bad.deniedSessions.slice(0, MOST_BAD)} total={bad.denied} />
        </p>
      ) : null}
      {good.cannotReplay > 0 ? (
        <p className="text-small text-text-2">
          {`Not known for ${plural(good.cannotReplay, 'good session')}, because their logs do not have the facts that the rule needs.`}
        </p>
      ) : null}
    </>
  )
}
