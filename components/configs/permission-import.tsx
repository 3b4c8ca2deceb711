'use client'
import {
  type Conversion,
  guessLevel,
  type ImportedPermissions,
  importPermissions,
  LEVELS,
  MAX_BYTES,
  MAX_FILES,
  type PermissionFile,
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
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
// Loaded late: it brings the parsers of the files. The files are read in the browser; only the rules are sent.
import { toLabel } from '@/components/ui/to-label.ts'

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

const PLACES = LEVELS.map((value) => ({
  value,
  label: toLabel(value),
}))

type Result =
  | { readonly kind: 'read'; readonly imported: ImportedPermissions }
  | { readonly kind: 'unusable'; readonly reason: string }

function readPermissions(agent: PermissionSource, files: readonly PermissionFile[]): Result {
  try {
    const imported = importPermissions(agent, files, { ns: 'new', key: 'config' })
    if (imported.lines.length > 0) return { kind: 'read', imported }
    const expected = agent === 'claude' ? ' Expected a `permissions` object.' : ''
    const names = files.map(({ name }) => name).join(', ')
    return { kind: 'unusable', reason: `No permissions found in ${names}.${expected}` }
  } catch (error) {
    // The parsers throw Unusable, with a sentence about the file.
    return { kind: 'unusable', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** The report and the errors name a file, so two files with the same name differ. The ending tells the parsers the format. */
function findFreeName(name: string, files: readonly PermissionFile[]): string {
  const isTaken = (wanted: string) => files.some((file) => file.name === wanted)
  if (!isTaken(name)) return name
  return [2, 3, 4].map((count) => `(${count}) ${name}`).find((wanted) => !isTaken(wanted)) ?? name
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
  const [agent, setAgent] = useState<PermissionSource>('claude')
  const [files, setFiles] = useState<readonly PermissionFile[]>([])
  const [isAdding, setAdding] = useState(false)
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const result = useMemo(
    () => (files.length === 0 ? null : readPermissions(agent, files)),
    [agent, files],
  )
  const imported = result?.kind === 'read' ? result.imported : null
  const selected = useMemo(
    () => (imported === null ? null : selectRules(imported, { left, mode })),
    [imported, left, mode],
  )
  useEffect(() => onImport(selected), [onImport, selected])
  const change = (next: readonly PermissionFile[]): void => {
    setLeft(new Set())
    setFiles(next)
  }
  return (
    <div className="flex flex-col gap-3">
      {(isAdding || files.length === 0) && (
        <FileForm
          agent={agent}
          files={files}
          onAgent={setAgent}
          onFiles={(next) => {
            setAdding(false)
            change(next)
          }}
        />
      )}
      {result !== null && (
        <Card>
          <CardHeader
            title={`${plural(imported?.lines.length ?? 0, 'permission')} found`}
            aside={AGENTS.find(({ value }) => value === agent)?.label}
            actions={
              <ReasonedButton
                isAllowed={files.length < MAX_FILES}
                reason={files.length < MAX_FILES ? null : `Import at most ${MAX_FILES} files.`}
                onClick={() => setAdding(true)}
              >
                Add a file
              </ReasonedButton>
            }
          />
          <FileList files={files} onFiles={change} />
          {result.kind === 'unusable' ? (
            <div className="p-3">
              <ErrorLine>{result.reason}</ErrorLine>
            </div>
          ) : (
            <Lines lines={result.imported.lines} left={left} onLeft={setLeft} />
          )}
          <div className="flex flex-col gap-2 p-3 text-small text-text-2">
            <p>
              Signalbox reads the files in your browser and stores only the rules. “Stricter” means
              that the rule denies more than the permission. Keep the agent’s own permissions.
            </p>
            <details>
              <summary>What no rule covers</summary>
              <ul className="list-disc pl-5">
                {imported?.limits.map((limit) => (
                  <li key={limit}>{limit}</li>
                ))}
              </ul>
            </details>
          </div>
        </Card>
      )}
    </div>
  )
}

function FileList({
  files,
  onFiles,
}: {
  readonly files: readonly PermissionFile[]
  readonly onFiles: (files: readonly PermissionFile[]) => void
}) {
  return (
    <div className="flex flex-col gap-2 border-border border-b p-3">
      <ul aria-label="Files" className="flex flex-col gap-2">
        {files.map((file) => (
          <li key={file.name} className="flex flex-wrap items-center gap-2">
            <code className="min-w-40 break-all">{file.name}</code>
            <Select
              label={`Place of ${file.name}`}
              value={file.level}
              options={PLACES}
              onChange={(level) =>
                onFiles(files.map((each) => (each === file ? { ...file, level } : each)))
              }
            />
            <Button
              variant="quiet"
              aria-label={`Remove ${file.name}`}
              onClick={() => onFiles(files.filter((each) => each !== file))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <p className="text-small text-text-2">
        Where files set the same value, the first of these places wins: managed, local, project,
        user.
      </p>
    </div>
  )
}

function FileForm({
  agent,
  files,
  onAgent,
  onFiles,
}: {
  readonly agent: PermissionSource
  /** Files that the new ones are added to. All are of the same agent. */
  readonly files: readonly PermissionFile[]
  readonly onAgent: (agent: PermissionSource) => void
  readonly onFiles: (files: readonly PermissionFile[]) => void
}) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | undefined>()
  const add = (source: PermissionSource, added: readonly Omit<PermissionFile, 'level'>[]): void => {
    const next = [...files]
    for (const { name, text } of added)
      next.push({ name: findFreeName(name, next), level: guessLevel(name), text })
    const results = [...next.slice(files.length).map((file) => [file]), next].map((some) =>
      readPermissions(source, some),
    )
    const failed = results.find((result) => result.kind === 'unusable')
    setProblem(failed?.reason)
    if (failed === undefined) onFiles(next)
  }
  const upload = async (chosen: readonly [File, ...File[]]): Promise<void> => {
    const large = chosen.find(({ size }) => size > MAX_BYTES)
    if (large !== undefined) return setProblem(`${large.name} is larger than 1 MiB.`)
    const isCodex = /[.](toml|rules)$/.test(chosen[0].name)
    const source = files.length > 0 ? agent : isCodex ? 'codex' : 'claude'
    onAgent(source)
    add(
      source,
      await Promise.all(chosen.map(async (file) => ({ name: file.name, text: await file.text() }))),
    )
  }
  return (
    <Card>
      <CardHeader title="Permissions of a coding agent" aside="read in your browser" />
      <div className="flex flex-col items-start gap-3 p-3">
        <div className="flex flex-wrap items-end gap-3">
          {files.length === 0 && (
            <Field label="Agent">
              {({ id }) => (
                <Select id={id} label="Agent" value={agent} options={AGENTS} onChange={onAgent} />
              )}
            </Field>
          )}
          <FileButton
            label="Files"
            accept=".json,.toml,.rules"
            multiple
            onFiles={(chosen) => void upload(chosen)}
          >
            Choose files
          </FileButton>
          <span className="text-small text-text-2">{`Up to ${MAX_FILES} files, 1 MiB in total`}</span>
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
          onClick={() => add(agent, [{ name: FILES[agent], text }])}
        >
          {files.length === 0 ? 'Convert' : 'Add file'}
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
