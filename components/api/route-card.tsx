'use client'

import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { CopyButton } from '@/components/ui/copy.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { Words } from '@/components/ui/words.tsx'
import type {
  ShownAnswer,
  ShownContent,
  ShownParameter,
  ShownRoute,
} from '@/server/http/api-page.ts'
import { formatCurl } from './curl.ts'
import { SchemaView } from './schema-view.tsx'
import { typeWords } from './schema-words.ts'

export function RouteCard({
  route,
  isOpen,
  onToggle,
}: {
  readonly route: ShownRoute
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
}) {
  const { id, method, path, summary } = route
  const panel = `${id}-details`
  return (
    <article
      id={id}
      aria-label={summary}
      className="scroll-mt-16 border-border border-b last:border-b-0"
    >
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={panel}
          onClick={() => onToggle(!isOpen)}
          className="flex min-h-9 w-full flex-wrap items-baseline gap-x-3 px-3 py-1.5 text-left hover:bg-surface-2 pointer-coarse:min-h-11"
        >
          <span className="w-12 shrink-0 font-mono font-semibold text-small">{method}</span>
          <code className="min-w-0 break-all font-mono">{path}</code>
          <span className="text-text-2">{summary}</span>
        </button>
      </h3>
      <div
        id={panel}
        hidden={!isOpen}
        className={clsx(isOpen && 'flex flex-col gap-4 px-3 pt-1 pb-4')}
      >
        {isOpen && <RouteDetails route={route} />}
      </div>
    </article>
  )
}

function RouteDetails({ route }: { readonly route: ShownRoute }) {
  const { description, scope, parameters, body, answers } = route
  return (
    <>
      <div className="max-w-[55rem]">
        {description !== '' && (
          <p>
            <Words text={description} />
          </p>
        )}
        <p className="text-text-2">
          {scope === null ? (
            'Public: no key needed.'
          ) : (
            <>
              Needs an API key with the scope <code className="font-mono">{scope}</code>.
            </>
          )}
        </p>
      </div>
      <Part title="Try it" aside={<CopyButton text={formatCurl(route)} label="Copy the command" />}>
        <Code text={formatCurl(route)} label="Command" />
      </Part>
      {parameters.length > 0 && (
        <Part title="Parameters">
          <ul className="flex flex-col gap-1.5">
            {parameters.map((parameter) => (
              <Parameter key={`${parameter.in} ${parameter.name}`} parameter={parameter} />
            ))}
          </ul>
        </Part>
      )}
      {body !== null && (
        <Part title="Body" note={body.type}>
          <Content content={body} label="Example of the body" />
        </Part>
      )}
      <Part title="Responses">
        <ul className="flex flex-col gap-2">
          {answers.map((answer) => (
            <li key={answer.status}>
              <Answer answer={answer} />
            </li>
          ))}
        </ul>
      </Part>
    </>
  )
}

function Part({
  title,
  note,
  aside,
  children,
}: {
  readonly title: string
  readonly note?: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section aria-label={title} className="min-w-0">
      <div className="flex items-center gap-2 pb-1">
        <h4 className="font-semibold text-small">{title}</h4>
        {note !== undefined && <span className="text-small text-text-2">{note}</span>}
        {aside}
      </div>
      {children}
    </section>
  )
}

function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <ScrollBox
      label={label}
      className="max-h-80 overflow-auto rounded-control border border-border bg-surface-2 p-2"
    >
      <pre className="font-mono text-small">{text}</pre>
    </ScrollBox>
  )
}

const PLACE: Readonly<Record<string, string>> = {
  path: 'in the address',
  query: 'in the query',
  header: 'header',
}

function Parameter({ parameter }: { readonly parameter: ShownParameter }) {
  const { name, description, required, schema } = parameter
  return (
    <li>
      <code className="font-mono">{name}</code>{' '}
      <span className="text-text-2">
        {PLACE[parameter.in]}, {typeWords(schema)}
        {required ? '' : ', optional'}
      </span>
      <p>
        <Words text={description} />
      </p>
    </li>
  )
}

function Content({ content, label }: { readonly content: ShownContent; readonly label: string }) {
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <div className="min-w-0">
        <SchemaView schema={content.schema} />
      </div>
      {content.example !== null && (
        <div className="min-w-0">
          <Code text={content.example} label={label} />
        </div>
      )}
    </div>
  )
}

function Answer({ answer }: { readonly answer: ShownAnswer }) {
  const { status, description, headers, content } = answer
  const line = (
    <>
      <span className="font-mono font-semibold">{status}</span> <Words text={description} />
      {headers.length > 0 && <span className="text-text-2"> With {headers.join(', ')}.</span>}
    </>
  )
  if (content === null) return <p>{line}</p>
  return (
    <details open={status.startsWith('2')}>
      <summary className="min-h-6 cursor-pointer pointer-coarse:min-h-11">{line}</summary>
      <div className="pt-1 pl-4">
        <Content content={content} label={`Example of ${status}`} />
      </div>
    </details>
  )
}
