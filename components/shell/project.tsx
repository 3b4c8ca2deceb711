'use client'
// Links inside the console omit `?project=`, so it is added again after each navigation. Only the switcher changes a tab's project.
import { useQuery } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Select } from '@/components/ui/select.tsx'
import { RailChoice } from './rail-choice.tsx'
import { setCookie } from './set-cookie.ts'

/** Slug with which the document was opened; null: rendering on the server, or the user has one project. */
export function readDocumentProject(): string | null {
  return document.documentElement.dataset['project'] ?? null
}

export function ProjectInAddress() {
  const path = usePathname()
  const query = useSearchParams().toString()
  useEffect(() => {
    const project = readDocumentProject()
    if (project === null) return
    const params = new URLSearchParams(query)
    if (params.get('project') !== project) {
      params.set('project', project)
      const address = withPrefix(`${path}?${params.toString()}${window.location.hash}`)
      window.history.replaceState(window.history.state, '', address)
    }
    setCookie('sb_project', project)
  }, [path, query])
  return null
}

/** Null: the user has one project, or the projects are loading. */
function useProjectChoice() {
  const trpc = useTRPC()
  const projects = useQuery({ ...trpc.projects.mine.queryOptions(), staleTime: 60_000 }).data
  const current = useQuery({ ...trpc.projects.current.queryOptions(), staleTime: 60_000 }).data
  if (projects === undefined || projects.length < 2 || current === undefined) return null
  const options = projects.map(({ slug, projectName }) => ({ value: slug, label: projectName }))
  return { label: 'Project', value: current.slug, options }
}

/** Loads a new document. */
function openProject(slug: string): void {
  window.location.assign(withPrefix(`/?project=${encodeURIComponent(slug)}`))
}

/** Renders nothing for users with one project. */
export function ProjectSwitcher() {
  const choice = useProjectChoice()
  if (choice === null) return null
  return <Select {...choice} onChange={openProject} className="w-full border-border font-medium" />
}

export function ProjectMenu() {
  const choice = useProjectChoice()
  return choice === null ? null : <RailChoice {...choice} onChoose={openProject} />
}
