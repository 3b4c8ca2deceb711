'use client'
// Loaded late: it brings the parsers of the files. The files are read in the browser; only the rules are sent.
import {
  type Conversion,
  type ImportedPermissions,
  importPermissions,
  type PermissionSource,
  type ReportLine,
} from '@signalbox/cli/permissions'
import { plural } from '@signalbox/core/analysis'
import { CircleCheck, CircleDashed, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { FileButton } from '@/components/ui/file-button.tsx'
import { Field, Input, Textarea } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'

type Mode = 'shadow' | 'enforce'

const AGENTS = [
  { value: 'claude', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
] as const

const FILES = { claude: 'settings.json', codex: 'config.toml' } as const

const CONVERSIONS: {
  readonly [Name in Conversion]: {
    readonly word: string
    readonly icon: LucideIcon
    readonly className: string
  }
} = {
  exact: { word: 'Exact', icon: CircleCheck, className: 'text-text-2' },
  stricter: { word: 'Stricter', icon: Info, className: 'text-info-fg' },
  not_needed: { word: 'Not needed', icon: CircleDashed, className: 'text-text-2' },
  not_carried: { word: 'Not carried', icon: TriangleAlert, className: 'text-warning-fg' },
}

/** More rows than this get a filter. */
const MANY = 200

export interface SelectedRules {
  /** The config. */
  readonly text: string
  /** One for each selected entry. */
  readonly sentences: readonly string[]
}

interface File {
  readonly agent: PermissionSource
  readonly name: string
  readonly text: string
}

type Result =
  | { readonly kind: 'read'; readonly imported: ImportedPermissions }
  | { readonly kind: 'unusable'; readonly reason: string }

function readPermissions({ agent, name, text }: File): Result {
  try {
    const level = name.includes('.local.') ? 'local' : 'project'
    const imported = importPermissions(agent, [{ name, level, text }], { ns: 'new', key: 'config' })
    return imported.lines.length === 0
      ? {
          kind: 'unusable',
          reason:
            agent === 'claude'
              ? 'No permissions found. Expected a `permissions` object.'
              : 'No permissions found in this file.',
        }
      : { kind: 'read', imported }
  } catch (error) {
    // The parsers throw Unusable, with a sentence about the file.
    const reason = error instanceof Error ? error.message : String(error)
    return { kind: 'unusable', reason: reason.replace(`${name} `, 'This file ') }
  }
}

/** A rule stays while one of the entries that it carries is selected, so that no selected entry is weaker than in the report. */
function selectRules(
  { document, lines }: ImportedPermissions,
  { left, mode }: { readonly left: ReadonlySet<number>; readonly mode: Mode },
): SelectedRules {
  const kept = new Set(lines.flatMap((line, index) => (left.has(index) ? [] : line.rules)))
  const policies = (document.policies ?? [])
    .filter(({ id }) => kept.has(id))
    .map((policy) => (mode === 'shadow' ? { ...policy, mode } : policy))
  const sentences = lines
    .filter(({ rules }, index) => rules.length > 0 && !left.has(index))
    .map(({ becomes }) => becomes)
  return { text: `${JSON.stringify({ ...document, policies }, null, 2)}\n`, sentences }
}

export function PermissionImport({
  mode,
  onImport,
}: {
  readonly mode: Mode
  /** Null: there is nothing to import. */
  readonly onImport: (imported: SelectedRules | null) => void
}) {
  const [file, setFile] = useState<File | null>(null)
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const result = useMemo(() => (file === null ? null : readPermissions(file)), [file])
  const imported = result?.kind === 'read' ? result.imported : null
  const selected = useMemo(
    () => (imported === null ? null : selectRules(imported, { left, mode })),
    [imported, left, mode],
  )
  useEffect(() => onImport(selected), [onImport, selected])
  if (file === null || imported === null) {
    return (
      <FileForm
        problem={result?.kind === 'unusable' ? result.reason : undefined}
        onFile={(next) => {
          setLeft(new Set())
          setFile(next)
        }}
      />
    )
  }
  return (
    <Card>
      <CardHeader
        title={`${plural(imported.lines.length, 'permission')} found`}
        aside={file.name}
        actions={<Button onClick={() => setFile(null)}>Paste another file</Button>}
      />
      <Lines lines={imported.lines} left={left} onLeft={setLeft} />
      <div className="flex flex-col gap-2 p-3 text-small text-text-2">
        <p>
          Signalbox reads the file in your browser and stores only the rules. “Stricter” means that
          the rule denies more than the permission. Keep the agent’s own permissions.
        </p>
        <details>
          <summary>What no rule covers</summary>
          <ul className="list-disc pl-5">
            {imported.limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </details>
      </div>
    </Card>
  )
}

function FileForm({
  problem,
  onFile,
}: {
  readonly problem: string | undefined
  readonly onFile: (file: File) => void
}) {
  const [agent, setAgent] = useState<PermissionSource>('claude')
  const [text, setText] = useState('')
  const upload = async (chosen: globalThis.File): Promise<void> => {
    const { name } = chosen
    const found = /[.](toml|rules)$/.test(name) ? 'codex' : 'claude'
    setAgent(found)
    const read = await chosen.text()
    setText(read)
    onFile({ agent: found, name, text: read })
  }
  return (
    <Card>
      <CardHeader title="Permissions of a coding agent" aside="read in your browser" />
      <div className="flex flex-col items-start gap-3 p-3">
        <div className="flex flex-wrap items-end gap-3">
          <Field label="Agent">
            {({ id }) => (
              <Select id={id} label="Agent" value={agent} options={AGENTS} onChange={setAgent} />
            )}
          </Field>
          <FileButton
            label="File"
            accept=".json,.toml,.rules"
            onFile={(chosen) => void upload(chosen)}
          >
            Choose a file
          </FileButton>
        </div>
        <div className="w-full">
          <Field label={`Or paste ${FILES[agent]}`} error={problem}>
            {(control) => (
              <Textarea
                {...control}
                rows={12}
                spellCheck={false}
                className="font-mono text-mono"
                placeholder={
                  agent === 'claude' ? '{ "permissions": { "deny": ["Read(./.env)"] } }' : ''
                }
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
            )}
          </Field>
        </div>
        <Button
          disabled={text.trim() === ''}
          onClick={() => onFile({ agent, name: FILES[agent], text })}
        >
          Convert
        </Button>
      </div>
    </Card>
  )
}

function Lines({
  lines,
  left,
  onLeft,
}: {
  readonly lines: readonly ReportLine[]
  readonly left: ReadonlySet<number>
  readonly onLeft: (left: ReadonlySet<number>) => void
}) {
  const [query, setQuery] = useState('')
  const words = query.trim().toLowerCase()
  const shown = lines
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => `${line.entry} ${line.becomes}`.toLowerCase().includes(words))
  const toggle = (index: number): void => {
    const next = new Set(left)
    if (!next.delete(index)) next.add(index)
    onLeft(next)
  }
  return (
    <>
      {lines.length > MANY && (
        <div className="flex flex-wrap items-center gap-3 border-border border-b p-3">
          <Input
            aria-label="Filter permissions"
            placeholder="Filter permissions"
            className="w-64"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
          <span className="text-small text-text-2">{`${shown.length} of ${lines.length}`}</span>
        </div>
      )}
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Permission</HeadCell>
            <HeadCell>Becomes</HeadCell>
            <HeadCell>Conversion</HeadCell>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ line, index }) => (
            <Line
              key={index}
              line={line}
              isKept={!left.has(index)}
              onToggle={() => toggle(index)}
            />
          ))}
        </tbody>
      </Table>
    </>
  )
}

function Line({
  line: { entry, becomes, conversion, rules },
  isKept,
  onToggle,
}: {
  readonly line: ReportLine
  readonly isKept: boolean
  readonly onToggle: () => void
}) {
  const { word, icon: Icon, className } = CONVERSIONS[conversion]
  return (
    <Row>
      <Cell>
        <Checkbox
          checked={rules.length > 0 && isKept}
          disabled={rules.length === 0}
          onChange={onToggle}
        >
          <code className="break-all">{entry}</code>
        </Checkbox>
      </Cell>
      <Cell label="Becomes" className="whitespace-normal">
        {becomes}
      </Cell>
      <Cell label="Conversion">
        <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${className}`}>
          <Icon size={14} className="shrink-0" aria-hidden />
          {word}
        </span>
      </Cell>
    </Row>
  )
}
