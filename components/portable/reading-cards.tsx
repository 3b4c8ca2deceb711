import { CheckTree } from '@/components/explanations/check-tree.tsx'
import { RuleResultText } from '@/components/explanations/rule-result.tsx'
import { OWNER_WORD } from '@/components/explanations/step-owner.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { ShownBundle } from './shown-bundle.ts'

interface Props {
  readonly opened: ShownBundle
}

const PASSED: ReadonlySet<string> = new Set(['allowed', 'bypassed', 'no_checker'])

function allowedText({ head }: ShownBundle): string {
  return `None. The ${head.kind === 'stop' ? 'stop' : 'call'} was allowed.`
}

function noSteps(opened: ShownBundle): string {
  const { reading } = opened
  if (PASSED.has(reading.verdict)) return allowedText(opened)
  return reading.from === 'told' ? 'Not computed.' : 'No known steps.'
}

export function StepsCard({ opened }: Props) {
  const { head, reading } = opened
  return (
    <Card>
      <CardHeader title={head.kind === 'stop' ? 'What would unblock it' : 'What would allow it'} />
      {reading.steps.length === 0 ? (
        <p className="p-3 text-text-2">{noSteps(opened)}</p>
      ) : (
        <ol className="flex flex-col gap-2 p-3">
          {reading.steps.map(({ text, owner, obstacle }, index) => {
            const key = `${index} ${text}`
            return (
              <li key={key} className="flex items-baseline gap-2">
                <span className="font-mono text-mono text-text-3">{index + 1}</span>
                <span className="min-w-0 flex-1 break-words">
                  <Words text={text} />{' '}
                  <span className="ml-1 text-small text-text-2">
                    {OWNER_WORD[owner]}
                    {obstacle === null ? null : (
                      <>
                        {' · problem: '}
                        <Words text={obstacle} />
                      </>
                    )}
                  </span>
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </Card>
  )
}

export function ChecksCard({ opened }: Props) {
  const { checks } = opened.reading
  return (
    <Card>
      <CardHeader title="Checks" />
      {checks === null ? (
        <p className="p-3 text-text-2">Nothing was checked, or the record is not in the file.</p>
      ) : (
        <CheckTree root={checks} label="Checks" sessionId={null} />
      )}
    </Card>
  )
}

export function RulesCard({ opened }: Props) {
  const { rules } = opened.reading
  return (
    <Card>
      <CardHeader title="Policies" aside="all must allow · those that applied" />
      {rules.length === 0 ? (
        <p className="p-3 text-text-2">No policy applied to this call.</p>
      ) : (
        <Table className="table-fixed">
          <thead>
            <tr>
              <HeadCell className="w-36 max-sm:w-28">Result</HeadCell>
              <HeadCell>Policy</HeadCell>
              <HeadCell>Why</HeadCell>
            </tr>
          </thead>
          <tbody>
            {rules.map(({ rule, pointer, type, mode, result, sentence }) => (
              <Row key={pointer} className="align-top">
                <Cell>
                  <RuleResultText result={result} mode={mode} />
                </Cell>
                <Cell className="whitespace-normal break-words">
                  <code className="font-mono text-mono">{rule}</code>{' '}
                  <span className="text-small text-text-3">{type}</span>
                </Cell>
                <Cell className="whitespace-normal break-words">{sentence}</Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}

export function MessageCard({ opened }: Props) {
  const { message, from } = opened.reading
  return (
    <Card>
      <CardHeader title="Message the agent received" />
      {message === null ? (
        <p className="p-3 text-text-2">
          {from === 'told' ? 'None, or the record is not in the file.' : allowedText(opened)}
        </p>
      ) : (
        <p className="whitespace-pre-wrap break-words p-3 font-mono text-mono text-text-2">
          {message}
        </p>
      )}
    </Card>
  )
}
