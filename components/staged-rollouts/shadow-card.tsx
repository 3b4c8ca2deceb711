'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { toEventId } from '@signalbox/wire'
import { parseAsString, useQueryState } from 'nuqs'
import { useStagedRolloutAction } from '@/components/releases/use-staged-rollout-actions.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorLine } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago, Timestamp } from '@/components/ui/time.tsx'
import type { StagedRolloutOverview } from '@/server/staged-rollouts/staged-rollout-overview.ts'

type Shadow = StagedRolloutOverview['shadows'][number]

export function ShadowCard({
  shadow,
  ns,
  name,
}: {
  readonly shadow: Shadow
  readonly ns: string
  readonly name: string
}) {
  const { environment, version, liveVersion, sessions, differing, stopped, since } = shadow
  const stop = useStagedRolloutAction<void>((client) =>
    client.stagedRollouts.shadow.mutate({ ns, key: name, environment, version: null }),
  )
  return (
    <Card>
      <CardHeader
        title={`Shadow version v${version} of v${liveVersion} in ${environment}`}
        aside={
          <>
            since <Ago at={since} />
          </>
        }
        actions={
          <ReleaseButton
            environment={environment}
            disabled={stop.isPending}
            onClick={() => stop.run()}
          >
            End shadow
          </ReleaseButton>
        }
      />
      {sessions === 0 ? (
        <EmptyState title="No sessions compared yet.">
          New sessions are compared. The shadow version has no effect, and the agent does not wait
          for it.
        </EmptyState>
      ) : (
        <>
          <p className="px-3 py-3">
            <strong>
              {countText(differing)} of {plural(sessions, 'session')} would differ
            </strong>
            {stopped > 0 && (
              <span className="text-text-2">
                {' '}
                · {countText(stopped)} were not evaluated completely
              </span>
            )}
          </p>
          {differing > 0 && <Differences shadow={shadow} />}
        </>
      )}
      <ErrorLine className="px-3 pb-3">{stop.refused}</ErrorLine>
    </Card>
  )
}

function groupKey({ rule, subject, live, shadow }: Shadow['groups'][number]): string {
  return [rule, subject, live, shadow].join(' ')
}

function Differences({ shadow }: { readonly shadow: Shadow }) {
  const [chosen, choose] = useQueryState('group', parseAsString)
  const { groups, differences } = shadow
  const shown = differences.filter(
    ({ rule, subject, live, shadow: would }) =>
      chosen === null || chosen === [rule, subject, live, would].join(' '),
  )
  return (
    <>
      <Table isStacked aria-label="By rule">
        <thead>
          <tr>
            <HeadCell>Rule</HeadCell>
            <HeadCell>Now</HeadCell>
            <HeadCell>Would be</HeadCell>
            <HeadCell className="text-right">Sessions</HeadCell>
            <HeadCell className="text-right">Exact</HeadCell>
            <HeadCell className="text-right">After a difference</HeadCell>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Row key={groupKey(group)}>
              <Cell>
                <button
                  type="button"
                  aria-pressed={chosen === groupKey(group)}
                  className="text-link hover:underline aria-pressed:font-semibold"
                  onClick={() => void choose(chosen === groupKey(group) ? null : groupKey(group))}
                >
                  <code>{group.rule === '' ? group.subject : group.rule}</code>
                </button>
              </Cell>
              <Cell label="Now">{group.live}</Cell>
              <Cell label="Would be">{group.shadow}</Cell>
              <Cell label="Sessions" className="text-right tabular-nums">
                {group.sessions}
              </Cell>
              <Cell label="Exact" className="text-right tabular-nums">
                {group.exact}
              </Cell>
              <Cell label="After a difference" className="text-right tabular-nums">
                {group.approximate}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      <h3 className="px-3 pt-4 pb-1 font-semibold">
        {chosen === null ? 'Differences' : 'Differences of this group'}
        <span className="font-normal text-text-2"> · newest {shown.length}</span>
      </h3>
      <Table isStacked aria-label="Differences">
        <thead>
          <tr>
            <HeadCell>When</HeadCell>
            <HeadCell>Tool</HeadCell>
            <HeadCell>Rule</HeadCell>
            <HeadCell>Difference</HeadCell>
            <HeadCell>Message to the agent</HeadCell>
          </tr>
        </thead>
        <tbody>
          {shown.map(
            ({
              sessionId,
              ofSeq,
              at,
              tool,
              subject,
              rule,
              live,
              shadow: would,
              text,
              isExact,
              ownFacts,
            }) => (
              <Row key={`${sessionId} ${ofSeq} ${rule} ${would}`}>
                <Cell>
                  <Link
                    className="text-link hover:underline"
                    href={`/e/${toEventId(sessionId, ofSeq)}`}
                  >
                    <Timestamp at={at} style="second" />
                  </Link>
                </Cell>
                <Cell label="Tool">{tool === '' ? subject : tool}</Cell>
                <Cell label="Rule">
                  <code>{rule === '' ? '–' : rule}</code>
                </Cell>
                <Cell label="Difference">
                  {live} → {would}
                  {!isExact && <span className="text-text-2"> · after a difference</span>}
                  {ownFacts && <span className="text-text-2"> · own look-up</span>}
                </Cell>
                <Cell label="Message to the agent" title={text ?? undefined}>
                  {text ?? '–'}
                </Cell>
              </Row>
            ),
          )}
        </tbody>
      </Table>
    </>
  )
}
