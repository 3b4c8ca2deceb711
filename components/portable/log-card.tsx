// The end of the log that the decision rests on, event by event, with what was recorded of each.
import { plural, summarizeEvent } from '@signalbox/core/analysis'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import type { ShownBundle } from './shown-bundle.ts'

const SHOWN = 100

export function LogCard({ opened }: { readonly opened: ShownBundle }) {
  const { events } = opened
  const last = events.slice(-SHOWN)
  const aside =
    events.length > SHOWN
      ? `the last ${SHOWN} of ${plural(events.length, 'event')}`
      : plural(events.length, 'event')
  return (
    <Card>
      <CardHeader title="Log" aside={aside} />
      {events.length === 0 ? (
        <p className="p-3 text-text-2">The file has no events.</p>
      ) : (
        <ul className="max-h-[480px] overflow-y-auto p-3" aria-label="Events">
          {last.map((event) => (
            <li key={event.seq}>
              <details>
                <summary className="cursor-pointer break-words">
                  <span className="font-mono text-mono text-text-3">#{event.seq}</span>{' '}
                  <span className="font-mono text-mono">{event.type}</span>{' '}
                  <span className="text-small text-text-2">{summarizeEvent(event).summary}</span>
                </summary>
                <pre className="overflow-x-auto whitespace-pre-wrap break-words bg-surface-2 p-2">
                  {JSON.stringify(event.data, null, 2)}
                </pre>
              </details>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
