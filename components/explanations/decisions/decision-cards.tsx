import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { DecisionExplanation } from '@/server/explanations/decision-explanation.ts'
import { RuleLink } from '../rule-link.tsx'
import { OWNER_WORD } from '../step-owner.ts'
import { notCapturedText } from '../stops/not-stored.ts'

export function AllowCard({ explanation }: { readonly explanation: DecisionExplanation }) {
  return (
    <Card>
      <CardHeader title="What would allow it" />
      {explanation.allow.length > 0 ? null : (
        <p className="p-3 pb-0 text-text-2">
          No rule denied it. The message below gives the cause.
        </p>
      )}
      <ol className="flex flex-col gap-2 p-3">
        {explanation.allow.map(({ rule, text, owner }, index) => (
          <li key={`${rule} ${text}`} className="flex items-baseline gap-2">
            <span className="font-mono text-mono text-text-3">{index + 1}</span>
            <span className="min-w-0 flex-1 break-words">
              <Words text={text} />{' '}
              <span className="ml-1 text-small text-text-2">{OWNER_WORD[owner]}</span>
            </span>
            <code className="font-mono text-mono text-text-3">
              <RuleLink
                config={explanation.config}
                pointer={explanation.rules.find((row) => row.rule === rule)?.pointer}
              >
                {rule}
              </RuleLink>
            </code>
          </li>
        ))}
      </ol>
      <AllowedAfter explanation={explanation} />
    </Card>
  )
}

/** Shown only if calls of the agent alone can allow it. */
function AllowedAfter({ explanation }: { readonly explanation: DecisionExplanation }) {
  const calls = explanation.allow.map(({ call }) => call)
  if (calls.length === 0 || calls.includes(null)) return null
  return (
    <p className="px-3 pb-3 text-text-2">
      Would be allowed after:{' '}
      <Words text={calls.map((call) => `\`${call ?? ''}\``).join(', then ')} />
    </p>
  )
}

export function SameCallsCard({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { same, seq } = explanation
  return (
    <Card>
      <CardHeader title="The same call in this session" />
      {same.length === 0 ? (
        <p className="p-3 text-text-2">The agent made this call once, with these arguments.</p>
      ) : (
        <ol className="flex flex-col gap-1 p-3">
          {same.map((call) => (
            <li key={call.id} className="flex flex-wrap items-center gap-x-2">
              <StatusText status={call.decision} />
              <Link className="font-mono text-link text-mono" href={`/decisions/${call.id}`}>
                #{call.seq}
              </Link>
              <Timestamp at={call.at} style="second" />
              <span className="text-small text-text-2">{call.seq < seq ? 'before' : 'after'}</span>
              {call.reason === null ? null : (
                <span className="w-full break-words pl-5 text-small text-text-2">
                  {call.reason}
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

const UNREPLACED: Readonly<Record<string, string>> = {
  masked: 'None. The agent read the result with the found parts masked or cut.',
  passed: 'None. The agent read the result as it was.',
}

export function ReasonCard({ explanation }: { readonly explanation: DecisionExplanation }) {
  const { kind, verdict, message } = explanation
  const none = kind === 'call' ? 'None. The call was allowed.' : UNREPLACED[verdict]
  return (
    <Card>
      <CardHeader
        title={kind === 'call' ? 'Message the agent received' : 'Text in place of the result'}
        actions={
          message === null ? null : (
            <span className="no-print">
              <CopyButton text={message} label="Copy message" />
            </span>
          )
        }
      />
      {message === null ? (
        <p className="p-3 text-text-2">{none}</p>
      ) : (
        <p className="whitespace-pre-wrap break-words p-3 font-mono text-mono text-text-2">
          {message}
        </p>
      )}
    </Card>
  )
}

const EXISTS = { true: 'existed', false: 'did not exist', unknown: 'unknown' } as const

function resultText(explanation: DecisionExplanation): string {
  const { result } = explanation
  if (result === null) return 'not recorded yet'
  return result.durationMs === null
    ? result.outcome
    : `${result.outcome} after ${durationText(result.durationMs)}`
}

function ToolName({ tool, native }: { readonly tool: string; readonly native: string | null }) {
  return (
    <>
      <code className="font-mono text-mono">{tool}</code>
      {native === null ? null : (
        <>
          , called <code className="font-mono text-mono">{native}</code> by the harness
        </>
      )}
    </>
  )
}

function evidenceItems(explanation: DecisionExplanation): readonly KeyValue[] {
  const { request } = explanation
  if (request === null) return [{ name: 'Request', value: notCapturedText(explanation) }]
  return [
    { name: 'Tool', value: <ToolName tool={request.tool} native={request.nativeTool} /> },
    {
      name: 'Arguments',
      value: (
        <pre className="whitespace-pre-wrap break-words font-mono text-mono">
          {JSON.stringify(request.args, null, 2)}
        </pre>
      ),
    },
    {
      name: 'Files',
      value:
        request.files === null || request.files.length === 0
          ? 'none required'
          : request.files.map(({ path, exists }) => `${path} ${EXISTS[`${exists}`]}`).join(', '),
    },
    {
      name: 'Asked by',
      value: request.agent === null ? 'the agent' : `sub-agent ${request.agent}`,
    },
    { name: 'Result', value: resultText(explanation) },
    {
      name: 'Redacted',
      value:
        request.redactions.length === 0
          ? 'nothing'
          : request.redactions.map(({ pointer, kind }) => `${pointer} ${kind}`).join(', '),
    },
  ]
}

export function EvidenceCard({ explanation }: { readonly explanation: DecisionExplanation }) {
  return (
    <Card>
      <CardHeader title="Evidence" aside="as captured, read-only" />
      <KeyValueList className="p-3" items={evidenceItems(explanation)} />
    </Card>
  )
}
