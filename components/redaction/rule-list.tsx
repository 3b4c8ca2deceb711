// The redaction rules in force, built-in ones first.
import { EmptyState } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { RuleSource } from './rule-sources.ts'

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
          <HeadCell>Values under the names</HeadCell>
          <HeadCell>Texts</HeadCell>
        </tr>
      </thead>
      <tbody>
        <Row>
          <Cell>
            <code>builtin.secrets</code>
          </Cell>
          <Cell label="Values under the names" className="max-w-none whitespace-normal">
            password, token, secret, api key, authorization, cookie and their like
          </Cell>
          <Cell label="Texts" className="max-w-none whitespace-normal">
            the runtime's own API key
          </Cell>
        </Row>
        {source.rules.map(({ id, keys = [], literals = [] }) => (
          <Row key={id}>
            <Cell>
              <code>{id}</code>
            </Cell>
            <Cell label="Values under the names" className="max-w-none whitespace-normal">
              {keys.join(', ') || '–'}
            </Cell>
            <Cell label="Texts" className="max-w-none whitespace-normal">
              {literals.join(', ') || '–'}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
