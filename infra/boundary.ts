import { deployment } from './stage.ts'

const { permissionsBoundary } = deployment

// Applies the permissions boundary to all roles, including roles that SST creates, such as the roles of schedules. An
// account can be set up to refuse roles without a boundary.
if (permissionsBoundary)
  $transform(aws.iam.Role, (args) => {
    args.permissionsBoundary = permissionsBoundary
  })
