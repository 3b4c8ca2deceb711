// The rules that hold, the ones that nobody wrote first.
import type { RedactionKind } from '@signalbox/core'
import { REDACTION_KINDS, REDACTION_WORDS } from '@signalbox/core/analysis'
import { EmptyState } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { RuleSource } from './rule-sources.ts'

function Values({ kind, children }: { readonly kind: RedactionKind; readonly children: string }) {
  return (
    <Cell label={REDACTION_WORDS[kind].title} className="max-w-none whitespace-normal">
      {children}
    </Cell>
  )
}

export function RuleList({ source }: { readonly source: RuleSource }) {
  if (source.rules === null)
    return (
      <EmptyState title="This text cannot be read as a config, so its rules are unknown. The tester below uses only the built-in secret names." />
    )
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>Rule</HeadCell>
          {REDACTION_KINDS.map((kind) => (
            <HeadCell key={kind}>{REDACTION_WORDS[kind].title}</HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        <Row>
          <Cell>
            <code>builtin.secrets</code>
          </Cell>
          {REDACTION_KINDS.map((kind) => (
            <Values key={kind} kind={kind}>
              {REDACTION_WORDS[kind].always}
            </Values>
          ))}
        </Row>
        {source.rules.map((rule) => (
          <Row key={rule.id}>
            <Cell>
              <code>{rule.id}</code>
            </Cell>
            {REDACTION_KINDS.map((kind) => (
              <Values key={kind} kind={kind}>
                {rule[kind]?.join(', ') || '–'}
              </Values>
            ))}
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
