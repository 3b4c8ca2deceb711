// Every policy must allow; a policy that does not apply to the call says so.

import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ExpandableWords } from '@/components/ui/expandable-words.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { DecisionExplanation, PolicyRow } from '@/server/explanations/decision-explanation.ts'
import { Because } from '../check-tree.tsx'
import { RuleLink } from '../rule-link.tsx'
import { RuleResultText } from '../rule-result.tsx'

/** Null: the verdict or the sentence next to it reports the same. */
export const CLASS_TEXT = {
  rule_said_no: null,
  prerequisite_missing: 'a prerequisite is missing',
  could_not_evaluate: null,
} as const

export function PolicyTable({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { kind, rules, session, isConfigKnown } = explanation
  const isContent = kind === 'content'
  return (
    <Card>
      <CardHeader
        title={isContent ? 'Content rules' : 'Policies'}
        aside={isContent ? 'that inspect results' : 'all must allow, and all are evaluated'}
      />
      {rules.length === 0 ? (
        <p className="p-3 text-text-2">
          {isConfigKnown
            ? 'The config has no policies, so every call is allowed.'
            : 'No policy applied to this call.'}
        </p>
      ) : (
        <Table className="table-fixed">
          <thead>
            <tr>
              <HeadCell className="w-40">Result</HeadCell>
              <HeadCell>{isContent ? 'Rule' : 'Policy'}</HeadCell>
              <HeadCell className="max-sm:hidden">Why</HeadCell>
            </tr>
          </thead>
          <tbody>
            {rules.map((row) => (
              <PolicyRowView
                key={row.pointer}
                row={row}
                sessionId={session.id}
                config={explanation.config}
              />
            ))}
          </tbody>
        </Table>
      )}
      {isConfigKnown ? null : (
        <p className="px-3 pb-3 text-small text-text-3">
          The config version is not stored here, so rules that did not apply are not listed.
        </p>
      )}
    </Card>
  )
}

function PolicyRowView({
  row,
  sessionId,
  config,
}: {
  readonly row: PolicyRow
  readonly sessionId: string
  readonly config: DecisionExplanation['config']
}) {
  return (
    <Row className="align-top">
      <Cell>
        <RuleResultText result={row.result} mode={row.mode} code={row.code} />
      </Cell>
      <Cell className="whitespace-normal break-words">
        <code className="font-mono text-mono">
          <RuleLink config={config} pointer={row.pointer}>
            {row.rule}
          </RuleLink>
        </code>{' '}
        <span className="text-small text-text-3">{row.type}</span>
        <RuleText row={row} />
        <div className="mt-1 sm:hidden">
          <Why row={row} sessionId={sessionId} />
        </div>
      </Cell>
      <Cell className="whitespace-normal break-words max-sm:hidden">
        <Why row={row} sessionId={sessionId} />
      </Cell>
    </Row>
  )
}

function RuleText({ row: { text, fullText } }: { readonly row: PolicyRow }) {
  if (text === null) return null
  return (
    <div className="text-small text-text-2">
      {fullText === null ? (
        <Words text={text} />
      ) : (
        <ExpandableWords text={text}>
          <p>
            <Words text={fullText} />
          </p>
        </ExpandableWords>
      )}
    </div>
  )
}

function Why({ row, sessionId }: { readonly row: PolicyRow; readonly sessionId: string }) {
  const reason = row.reasonClass === null ? null : CLASS_TEXT[row.reasonClass]
  return (
    <>
      {row.sentence}
      <Because seqs={row.because} sessionId={sessionId} />
      {reason === null ? null : <p className="text-small text-text-2">{reason}</p>}
      {row.facts.length === 0 ? null : (
        <p className="text-small text-text-2">
          <Words text={`Facts: ${row.facts.join('; ')}`} />
        </p>
      )}
    </>
  )
}
