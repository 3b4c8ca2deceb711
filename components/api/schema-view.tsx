import { Words } from '@/components/ui/words.tsx'
import type { ShownSchema } from '@/server/http/api-page.ts'
import { boundWords, objectsIn, typeWords } from './schema-words.ts'

export function SchemaView({ schema }: { readonly schema: ShownSchema }) {
  const objects = objectsIn(schema)
  if (objects.length === 0) {
    return (
      <p className="text-text-2">
        {typeWords(schema)}
        {schema.description === undefined ? '' : `: ${schema.description}`}
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      {objects.map((object, index) => (
        // Alternatives have no names, so they are identified by position.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <FieldList key={index} object={object} nth={objects.length > 1 ? index : null} />
      ))}
    </div>
  )
}

function FieldList({ object, nth }: { readonly object: ShownSchema; readonly nth: number | null }) {
  const required = new Set(object.required ?? [])
  return (
    <div>
      {nth !== null && <p className="text-small text-text-2">{nth === 0 ? 'Either' : 'or'}</p>}
      <ul className="border-border border-l">
        {Object.entries(object.properties ?? {}).map(([name, schema]) => (
          <li key={name} className="py-0.5 pl-3">
            <SchemaField name={name} schema={schema} isRequired={required.has(name)} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function SchemaField({
  name,
  schema,
  isRequired,
}: {
  readonly name: string
  readonly schema: ShownSchema
  readonly isRequired: boolean
}) {
  const bounds = boundWords(schema)
  const line = (
    <>
      <code className="font-mono">{name}</code>{' '}
      <span className="text-text-2">
        {typeWords(schema)}
        {isRequired ? '' : ', optional'}
      </span>
    </>
  )
  const hasInside = objectsIn(schema).length > 0
  return (
    <>
      {hasInside ? (
        <details>
          <summary className="min-h-6 cursor-pointer pointer-coarse:min-h-11">{line}</summary>
          <div className="py-1 pl-2">
            <SchemaView schema={schema} />
          </div>
        </details>
      ) : (
        <div>{line}</div>
      )}
      {schema.description !== undefined && (
        <p>
          <Words text={schema.description} />
        </p>
      )}
      {bounds !== '' && <p className="break-all text-small text-text-2">{bounds}</p>}
    </>
  )
}
