'use client'
// Exports every config of the project as one file, and imports such a file. An import has a preview and releases nothing.
import { plural } from '@signalbox/core/analysis'
import type { ImportAnswer } from '@signalbox/wire'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { ErrorLine, Skeleton } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { useImport } from './use-import.ts'

export function TransferButtons() {
  const refusal = useConfigRights().archive.reason ?? undefined
  const input = useRef<HTMLInputElement>(null)
  const [isExporting, setExporting] = useState(false)
  const [file, setFile] = useState<File | null>(null)
  const [plan, done] = [useImport(), useImport()]
  const open = (chosen: File | undefined) => {
    if (chosen === undefined) return
    plan.reset()
    done.reset()
    setFile(chosen)
    plan.mutate({ file: chosen, dryRun: true })
  }
  const choose = () => input.current?.click()
  usePageActions([{ name: 'Import configs…', run: choose, refusal }])
  return (
    <>
      <Menu
        label="Export"
        text="Export"
        open={isExporting}
        onOpenChange={setExporting}
        items={[
          { name: 'Configs', note: 'all versions', href: '/api/export/configs', isFile: true },
          {
            name: 'Configs and pinned cases',
            note: 'with recorded events',
            href: '/api/export/configs?cases=true',
            isFile: true,
          },
        ]}
      />
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="Export file to import"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          open(target.files?.[0])
          target.value = ''
        }}
      />
      <Button
        aria-disabled={refusal === undefined ? undefined : true}
        title={refusal}
        className={refusal === undefined ? undefined : 'cursor-not-allowed opacity-50'}
        onClick={() => {
          if (refusal === undefined) choose()
        }}
      >
        <Upload size={14} aria-hidden /> Import
        {refusal !== undefined && <span className="sr-only">{refusal}</span>}
      </Button>
      {file !== null && (
        <ImportDialog file={file} plan={plan} done={done} onClose={() => setFile(null)} />
      )}
    </>
  )
}

interface ImportDialogProps {
  readonly file: File
  readonly plan: ReturnType<typeof useImport>
  readonly done: ReturnType<typeof useImport>
  readonly onClose: () => void
}

function ImportDialog({ file, plan, done, onClose }: ImportDialogProps) {
  const answer = done.data ?? plan.data
  const changes = (answer?.configs ?? []).filter(({ action }) => action !== 'unchanged')
  const isRefused = changes.some(({ action }) => action === 'conflict')
  const isDone = done.data?.applied === true
  const error = plan.error ?? done.error
  const count = plural(changes.length, 'config')
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={isDone ? `Imported ${count}` : `Import ${file.name}`}
      description="Adds configs, versions and pinned cases that are missing. Nothing is released, and no version here is changed."
      actions={
        <>
          <Button onClick={onClose}>{isDone ? 'Close' : 'Cancel'}</Button>
          {!isDone && (
            <Button
              variant="primary"
              disabled={changes.length === 0 || isRefused || done.isPending}
              onClick={() => done.mutate({ file, dryRun: false })}
            >
              Import {changes.length === 0 ? '' : count}
            </Button>
          )}
        </>
      }
    >
      {answer === undefined && error === null && <Skeleton className="w-3/5" />}
      <ErrorLine className="break-words">{error?.message}</ErrorLine>
      {answer !== undefined && <Plan answer={answer} isRefused={isRefused} />}
    </Dialog>
  )
}

const WORD = {
  create: 'new',
  add_versions: 'more versions',
  add_cases: 'more pinned cases',
  unchanged: 'the same',
  conflict: 'conflict',
} as const

function Plan({
  answer: { configs, releases_missing: missing },
  isRefused,
}: {
  readonly answer: ImportAnswer
  readonly isRefused: boolean
}) {
  const same = configs.filter(({ action }) => action === 'unchanged').length
  const shown = configs.filter(({ action }) => action !== 'unchanged')
  return (
    <div className="flex flex-col gap-3">
      {isRefused && (
        <ErrorLine>
          Nothing can be imported: the file conflicts with data stored in this project. See the
          conflicts below.
        </ErrorLine>
      )}
      {shown.length === 0 && <p>Everything in the file already exists here.</p>}
      <ul aria-label="Configs in the file" className="flex flex-col">
        {shown.map(({ ns, key, action, detail }) => (
          <li
            key={`${ns}/${key}`}
            className="flex flex-wrap items-baseline gap-x-3 border-border border-b py-1 last:border-b-0"
          >
            <code className="min-w-0 break-all font-medium">
              {ns}/{key}
            </code>
            <span className="text-text-2">
              {action === 'conflict' ? (
                <StatusText status="warning">conflict</StatusText>
              ) : (
                WORD[action]
              )}
              : {detail}
            </span>
          </li>
        ))}
      </ul>
      {same > 0 && shown.length > 0 && (
        <p className="text-text-2">
          {plural(same, 'config')} {same === 1 ? 'is' : 'are'} here already.
        </p>
      )}
      {missing.length > 0 && !isRefused && (
        <section aria-label="Not released by an import" className="flex flex-col gap-1">
          <h3 className="font-semibold text-h2">Live in the file but not here</h3>
          <p className="text-text-2">
            Promote or publish these afterwards. Their release requirements apply.
          </p>
          <ul className="flex flex-col gap-1">
            {missing.slice(0, 50).map(({ ns, key, environment, version, live, ...rest }) => (
              <li key={`${ns}/${key} ${environment}`}>
                <Link href={configPath(ns, key)} className="break-all text-link hover:underline">
                  {ns}/{key}
                </Link>{' '}
                v{version} in {environment}
                <span className="text-text-2">
                  {rest.environment_exists
                    ? `, which runs ${live === null ? 'no version of it' : `v${live}`}`
                    : ', an environment that does not exist here'}
                </span>
              </li>
            ))}
          </ul>
          {missing.length > 50 && <p className="text-text-2">and {missing.length - 50} more</p>}
        </section>
      )}
    </div>
  )
}
