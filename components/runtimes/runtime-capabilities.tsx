import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { Card, CardHeader } from '@/components/ui/card.tsx'

const KINDS = [
  { field: 'policies', name: 'Policies' },
  { field: 'feedback_providers', name: 'Feedback' },
  { field: 'checkers', name: 'Checks' },
] as const

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

export function RuntimeCapabilities({ capabilities }: { readonly capabilities: JsonObject }) {
  const listed = capabilities['custom_types']
  const custom = Array.isArray(listed) ? listed.filter(isJsonObject) : []
  return (
    <Card>
      <CardHeader title="Can enforce" aside="as registered" />
      <dl className="grid gap-2 px-3 py-2">
        {KINDS.map(({ field, name }) => {
          const types = texts(capabilities[field])
          return (
            <div key={field}>
              <dt className="text-text-2">
                {name} · {types.length}
              </dt>
              <dd className="break-words font-mono text-mono">{types.join(', ') || '–'}</dd>
            </div>
          )
        })}
        <div>
          <dt className="text-text-2">Custom types · {custom.length}</dt>
          <dd>
            {custom.length === 0
              ? '–'
              : custom.map((one) => (
                  <Custom key={`${String(one['kind'])} ${String(one['type'])}`} rule={one} />
                ))}
          </dd>
        </div>
      </dl>
    </Card>
  )
}

function Custom({ rule }: { readonly rule: JsonObject }) {
  const { type, kind, schema } = rule
  const name = (
    <>
      <code>{String(type)}</code>{' '}
      <span className="text-text-2">{String(kind).replace('_', ' ')}</span>
    </>
  )
  if (!isJsonObject(schema))
    return (
      <p>
        {name} <span className="text-text-2">· any settings</span>
      </p>
    )
  return (
    <details>
      <summary>{name}</summary>
      <pre className="max-h-80 overflow-auto rounded-control bg-surface-2 px-2 py-1 text-mono">
        {JSON.stringify(schema, null, 2)}
      </pre>
    </details>
  )
}
