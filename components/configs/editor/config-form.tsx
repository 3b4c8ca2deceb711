'use client'
// While the text cannot be parsed, the form shows the last valid value and is read-only.
import { plural } from '@signalbox/core/analysis'
import { parseTree } from 'jsonc-parser'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { insertItem, setValue } from '@/components/kit/diff/json-edit.ts'
import { listAt, toPointer } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { LocatedProblem } from './document/analysis.ts'
import { CheckerTree } from './form/checker-form.tsx'
import { ContentList } from './form/content-form.tsx'
import { TOOL_NAMES } from './form/fields.tsx'
import { type FormApi, FormProvider } from './form/form-context.tsx'
import { InheritedRules } from './form/inherited-rules.tsx'
import { PolicyList } from './form/policy-form.tsx'
import { LimitFields, PromptFields, RedactionList, SectionList } from './form/prompt-form.tsx'
import { ProviderList } from './form/provider-form.tsx'
import { focusFirstField } from './form-places.ts'
import { PARTS } from './outline.tsx'
import { toolsIn } from './tools-in-text.ts'
import type { EditorDocument } from './use-document.ts'
import type { OpenCards } from './use-open-cards.ts'

const CONTENT: Readonly<Record<string, ReactNode>> = {
  prompt: <PromptFields />,
  tools: <SectionList path={['sections']} />,
  policies: <PolicyList path={['policies']} />,
  content: <ContentList path={['content']} />,
  feedback: <ProviderList />,
  completion: <CheckerTree />,
  limits: <LimitFields />,
  redaction: <RedactionList />,
}

export function ConfigForm({
  doc,
  problems,
  readOnly,
  customRules,
  activity,
  released,
  cards,
  inherited,
  onGo,
  onShow,
  onFix,
}: Pick<FormApi, 'customRules' | 'activity' | 'released' | 'inherited'> & {
  readonly cards: OpenCards
  readonly doc: EditorDocument
  readonly problems: readonly LocatedProblem[]
  readonly readOnly: boolean
  readonly onGo: (problem: LocatedProblem) => void
  readonly onShow: (pointer: string) => void
  readonly onFix: (problem: LocatedProblem) => void
}) {
  const { value, isFrozen, edit } = doc
  const [fresh, setFresh] = useState<string | null>(null)
  // Offers may lag: parsing the text must not delay a key.
  const text = useDeferredValue(doc.text)
  const tools = useMemo(() => {
    const named = toolsIn(parseTree(text))
    return [...new Set([...named, ...(activity?.tools ?? [])])]
  }, [text, activity])
  const add: FormApi['add'] = (path, rule) => {
    const isSingle = path.length === 1 && path[0] === 'task_completion_checker'
    const at = isSingle || value === null ? path : [...path, listAt(value, path).length]
    const pointer = toPointer(at)
    edit((text) =>
      isSingle
        ? setValue(text, path, rule)
        : insertItem(text, path, { index: Number.MAX_SAFE_INTEGER, value: rule }),
    )
    setFresh(pointer)
    cards.setOpen(pointer, true)
    requestAnimationFrame(() => focusFirstField(pointer))
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      {isFrozen && <FrozenBar problems={problems} hasForm={value !== null} onGo={onGo} />}
      {value !== null && (
        <FormProvider
          api={{
            value,
            problems,
            edit,
            customRules,
            activity,
            released,
            tools,
            inherited,
            ...cards,
            show: onShow,
            fix: onFix,
            add,
            fresh,
            onLeave: () => setFresh(null),
          }}
        >
          <fieldset
            aria-label="Form"
            disabled={isFrozen || readOnly}
            className="flex min-h-0 min-w-0 flex-1 flex-col gap-6 overflow-y-auto p-3 disabled:opacity-75"
          >
            <datalist id={TOOL_NAMES}>
              {tools.map((tool) => (
                <option key={tool} value={tool} />
              ))}
            </datalist>
            {PARTS.map(({ id, title, icon: Icon }) => (
              <section
                key={id}
                id={`part-${id}`}
                aria-labelledby={`part-${id}-title`}
                className="scroll-mt-2"
              >
                <h2
                  id={`part-${id}-title`}
                  className="mb-2 flex items-center gap-2 font-semibold text-h2"
                >
                  <Icon size={14} className="text-text-3" aria-hidden />
                  {title}
                </h2>
                {CONTENT[id]}
                <InheritedRules part={id} />
              </section>
            ))}
          </fieldset>
        </FormProvider>
      )}
    </div>
  )
}

function FrozenBar({
  problems,
  hasForm,
  onGo,
}: {
  readonly problems: readonly LocatedProblem[]
  readonly hasForm: boolean
  readonly onGo: (problem: LocatedProblem) => void
}) {
  const first = problems[0]
  const count = plural(problems.length, 'error')
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-warning-bd border-b bg-warning-bg px-3 py-1 text-warning-fg">
      <StatusIcon status="warning" />
      <span>
        {hasForm
          ? 'Form shows the last valid version'
          : 'There is no valid version to show as a form'}
        {first !== undefined && ` · ${count} at ${first.line}:${first.column}`}
      </span>
      {first !== undefined && <Button onClick={() => onGo(first)}>Go</Button>}
    </div>
  )
}
