// The text is exactly what the agent received; open items may be missing in it.
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'
import { notStoredText } from './not-stored.ts'

export function MessageCard({ explanation }: { readonly explanation: StopExplanation }) {
  const { record } = explanation
  const { message = null, told = null } = record ?? {}
  return (
    <Card>
      <CardHeader
        title="Message the agent received"
        aside={told === null ? 'as sent' : `named ${told.named} of ${told.open}`}
        actions={
          message === null ? null : (
            <span className="no-print">
              <CopyButton text={message} label="Copy message" />
            </span>
          )
        }
      />
      {record === null ? (
        <p className="p-3 text-text-2">{notStoredText(explanation)}</p>
      ) : message === null ? (
        <p className="p-3 text-text-2">None. The stop was allowed.</p>
      ) : (
        <p className="whitespace-pre-wrap break-words p-3 font-mono text-mono text-text-2">
          {message}
        </p>
      )}
      {told === null ? null : (
        <details open className="border-border border-t p-3">
          <summary className="cursor-pointer text-small text-text-2">
            All {told.open} that were open; the message named {told.named}
          </summary>
          <ol aria-label="All open items" className="mt-1 list-inside list-decimal">
            {told.items.map((item, index) => {
              const key = `${index} ${item}`
              return (
                <li key={key} className="break-words">
                  {item}
                </li>
              )
            })}
          </ol>
        </details>
      )}
    </Card>
  )
}
