'use client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { parsePrompt } from '@/components/kit/list/list-params.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Input } from '@/components/ui/input.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { MandatoryBaseView } from '@/server/configs/inheritance.ts'

export function MandatoryBase() {
  const trpc = useTRPC()
  const query = useQuery(trpc.configs.mandatoryBase.queryOptions())
  const { data } = query
  return (
    <Card>
      <CardHeader
        title="Mandatory base"
        aside="Configs that do not extend it cannot be published or promoted"
      />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The mandatory base could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data !== undefined && <Setting key={readBaseName(data)} view={data} />}
    </Card>
  )
}

function readBaseName({ base }: MandatoryBaseView): string {
  return base === null ? '' : `${base.ns}/${base.key}`
}

function Setting({ view }: { readonly view: MandatoryBaseView }) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const right = useRight('admin')
  const current = readBaseName(view)
  const [typed, setTyped] = useState(current)
  const change = useMutation({
    ...trpc.configs.setMandatoryBase.mutationOptions(),
    onSuccess: () => queries.invalidateQueries({ queryKey: trpc.configs.pathKey() }),
  })
  const name = typed.trim()
  const base = name === '' ? null : parsePrompt(name)
  const reason = right.reason ?? (base === undefined ? 'Write it as ns/key.' : null)
  const save = () => {
    if (base !== undefined) change.mutate({ base })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        <Input
          aria-label="Mandatory base"
          placeholder="team/base, or leave empty"
          value={typed}
          disabled={!right.isAllowed}
          onChange={({ target }) => setTyped(target.value)}
          className="min-w-0 flex-1 basis-60 font-mono text-mono"
        />
        <ReasonedButton
          isAllowed={right.isAllowed && reason === null && name !== current && !change.isPending}
          reason={reason}
          onClick={save}
        >
          Save
        </ReasonedButton>
      </div>
      {change.error !== null && (
        <ErrorLine className="border-border border-t px-3 py-2">
          Nothing was changed. {change.error.message}
        </ErrorLine>
      )}
      {view.without.length > 0 && (
        <div className="border-border border-t px-3 py-2">
          <p className="text-text-2">These releases do not extend it and stay live:</p>
          <ul aria-label="Releases without the mandatory base">
            {view.without.map(({ ns, key, version, environments }) => (
              <li key={`${ns}/${key} ${version}`} className="flex flex-wrap gap-x-3">
                <Link href={configPath(ns, key)} className="text-link hover:underline">
                  {ns}/{key}
                </Link>
                <span className="text-text-2">
                  v{version} in {environments.join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
